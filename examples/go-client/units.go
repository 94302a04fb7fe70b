package flagsvc

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

func (r unitRange) contains(bucket float64) bool {
	return r.from <= bucket && bucket < r.to
}

func unitBucket(salt, unit string) float64 {
	return float64(Hash(salt, unit, 2) % 10000)
}
