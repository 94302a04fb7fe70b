package flagsvc

import "reflect"

// units is revision 3 of bucketing: what a rule assigns, and to which ranges of 10,000 buckets (EV-124 to EV-134).
type units struct {
	salt, by string
	ranges   []unitRange
	gates    []unitRange
}

// unitRange contains the buckets from `from` to below `to`. A range of a rule has a variation, a gate has a salt.
type unitRange struct {
	name     string
	from, to float64
}

// readUnits returns nil for a bucketing that assigns nobody.
func readUnits(fields map[string]any) *units {
	revision, _ := fields["revision"].(float64)
	salt, _ := fields["salt"].(string)
	by, hasBy := fields["by"].(string)
	_, hasRanges := fields["ranges"].([]any)
	ranges, rangesOK := readEach(fields["ranges"], unitRangeReader("variation", false))
	gates, gatesOK := readEach(fields["gates"], unitRangeReader("salt", true))
	if revision != 3 || salt == "" || !hasBy || !hasRanges || !rangesOK || !gatesOK {
		return nil
	}
	return &units{salt, by, ranges, gates}
}

func unitRangeReader(name string, isNeeded bool) func(any) (unitRange, bool) {
	return func(value any) (unitRange, bool) {
		fields, _ := value.(map[string]any)
		text, hasName := fields[name].(string)
		from, hasFrom := fields["from"].(float64)
		to, hasTo := fields["to"].(float64)
		ok := hasName && !(isNeeded && text == "") && hasFrom && hasTo && isFinite(from) && isFinite(to)
		return unitRange{text, from, to}, ok
	}
}

// assigned returns the variation of the context's unit; nil where it has none, or a gate or the ranges leave it out.
func (u *units) assigned(context Context) *string {
	unit, isText := context.userKey, true
	if u.by != "user_key" {
		unit, isText = textOf(context.attribute(u.by))
	}
	if unit == "" || !isText {
		return nil
	}
	for _, gate := range u.gates {
		if !gate.contains(unitBucket(gate.name, unit)) {
			return nil
		}
	}
	bucket := unitBucket(u.salt, unit)
	for at := range u.ranges {
		if u.ranges[at].contains(bucket) {
			return &u.ranges[at].name
		}
	}
	return nil
}

// assigns returns the attribute whose units the rule assigns; empty if it assigns users, or nobody.
func (r *rule) assigns() string {
	if r.rollout == nil || r.units == nil || r.units.by == "user_key" {
		return ""
	}
	return r.units.by
}

// exposedUnit returns the attribute and the unit by which the rule that decided has assigned; empty for users (CL-129).
func (f *flag) exposedUnit(ruleID string, context Context) (by, unit string) {
	for at := range f.rules {
		if f.rules[at].id == ruleID {
			by = f.rules[at].assigns()
			break
		}
	}
	if by != "" {
		unit, _ = textOf(context.attribute(by))
	}
	return by, unit
}

// unitNamesOf lists the attributes whose units the rules of a ruleset assign.
func unitNamesOf(flags map[string]*flag) []string {
	var names []string
	isKnown := map[string]bool{"": true}
	for _, one := range flags {
		for at := range one.rules {
			if by := one.rules[at].assigns(); !isKnown[by] {
				isKnown[by] = true
				names = append(names, by)
			}
		}
	}
	return names
}

// trackedUnits are those that come with an action, and those of the attributes that rules assign (CL-130).
func trackedUnits(names []string, user Context, given map[string]any) map[string]any {
	units := map[string]any{}
	add := func(by string, value any) {
		delete(units, by)
		if unit, isText := textOf(value); isText && isName(by) && isName(unit) {
			units[by] = unit
		}
	}
	for _, by := range names {
		add(by, user.attribute(by))
	}
	for by, value := range given {
		add(by, toJSON(reflect.ValueOf(value), 0))
	}
	return units
}

func (r unitRange) contains(bucket float64) bool {
	return r.from <= bucket && bucket < r.to
}

func unitBucket(salt, unit string) float64 {
	return float64(Hash(salt, unit, 2) % 10000)
}
