package flagsvc

import "sort"

// A broken flag is an absent flag (EV-9): each reader returns false for what is broken.

type flag struct {
	key              string
	raw              map[string]any
	enabled          bool
	tracksExposures  bool
	values           map[string]any
	defaultVariation string
	rules            []rule
	prerequisites    []prerequisite
}

type rule struct {
	id         string
	priority   float64
	conditions []condition
	variation  *string
	// rollout decides when it is not nil, even if it is empty (EV-41).
	rollout  []share
	revision int
	// units decide instead of the rollout's shares when they are not nil.
	units *units
}

type share struct {
	variation  string
	percentage float64
}

type prerequisite struct {
	flagKey   string
	variation string
}

type segment struct {
	raw        any
	conditions []condition
}

func readFlag(value any) (*flag, bool) {
	raw, ok := value.(map[string]any)
	if !ok {
		return nil, false
	}
	read := &flag{raw: raw}
	read.tracksExposures, _ = raw["track_exposures"].(bool)
	var hasKey, hasEnabled, hasDefault bool
	read.key, hasKey = raw["key"].(string)
	read.enabled, hasEnabled = raw["enabled"].(bool)
	read.defaultVariation, hasDefault = raw["default_variation"].(string)
	if !hasKey || !hasEnabled || !hasDefault {
		return nil, false
	}
	if read.values, ok = readVariations(raw["variations"]); !ok {
		return nil, false
	}
	if _, ok = read.values[read.defaultVariation]; !ok {
		return nil, false
	}
	if read.rules, ok = readEach(raw["targeting_rules"], readRule); !ok {
		return nil, false
	}
	sort.SliceStable(read.rules, func(one, other int) bool {
		return read.rules[one].priority < read.rules[other].priority
	})
	read.prerequisites, ok = readEach(raw["prerequisites"], readPrerequisite)
	return read, ok
}

// readEach reads the items of an optional list.
func readEach[T any](value any, read func(any) (T, bool)) ([]T, bool) {
	if value == nil {
		return nil, true
	}
	items, ok := value.([]any)
	if !ok {
		return nil, false
	}
	all := make([]T, 0, len(items))
	for _, item := range items {
		one, ok := read(item)
		if !ok {
			return nil, false
		}
		all = append(all, one)
	}
	return all, true
}

func readVariations(value any) (map[string]any, bool) {
	items, ok := value.([]any)
	if !ok {
		return nil, false
	}
	values := make(map[string]any, len(items))
	for _, item := range items {
		fields, _ := item.(map[string]any)
		key, hasKey := fields["key"].(string)
		value, hasValue := fields["value"]
		if !hasKey || !hasValue {
			return nil, false
		}
		if _, isTaken := values[key]; !isTaken {
			values[key] = value
		}
	}
	return values, true
}

func readRule(value any) (rule, bool) {
	fields, _ := value.(map[string]any)
	var read rule
	var hasID, hasPriority, ok bool
	read.id, hasID = fields["id"].(string)
	read.priority, hasPriority = fields["priority"].(float64)
	if !hasID || !hasPriority || !isFinite(read.priority) {
		return read, false
	}
	if read.conditions, ok = readConditions(fields["conditions"], true); !ok {
		return read, false
	}
	switch variation := fields["variation"].(type) {
	case nil:
	case string:
		read.variation = &variation
	default:
		return read, false
	}
	if read.rollout, ok = readEach(fields["percentage_rollout"], readShare); !ok {
		return read, false
	}
	switch revision := fields["bucketing"].(type) {
	case nil:
		read.revision = 1
	case float64:
		if revision == 1 || revision == 2 {
			read.revision = int(revision)
		}
	case map[string]any:
		read.units = readUnits(revision)
	}
	return read, true
}

func readShare(value any) (share, bool) {
	fields, _ := value.(map[string]any)
	variation, hasVariation := fields["variation"].(string)
	percentage, hasPercentage := fields["percentage"].(float64)
	return share{variation, percentage}, hasVariation && hasPercentage && isFinite(percentage)
}

func readPrerequisite(value any) (prerequisite, bool) {
	fields, _ := value.(map[string]any)
	key, hasKey := fields["flag_key"].(string)
	variation, hasVariation := fields["variation"].(string)
	return prerequisite{key, variation}, hasKey && hasVariation
}

func readConditions(value any, mayNameSegments bool) ([]condition, bool) {
	if _, isList := value.([]any); !isList {
		return nil, false
	}
	return readEach(value, func(item any) (condition, bool) {
		fields, _ := item.(map[string]any)
		attribute, hasAttribute := fields["attribute"].(string)
		operator, hasOperator := fields["operator"].(string)
		if !hasAttribute || !hasOperator {
			return condition{}, false
		}
		return newCondition(attribute, operator, fields["value"], mayNameSegments), true
	})
}

// readSegments keeps the first intact segment of each key (EV-22, EV-23).
func readSegments(value any) map[string]segment {
	items, _ := value.([]any)
	segments := make(map[string]segment, len(items))
	for _, item := range items {
		fields, _ := item.(map[string]any)
		key, hasKey := fields["key"].(string)
		conditions, ok := readConditions(fields["conditions"], false)
		if _, isTaken := segments[key]; hasKey && ok && !isTaken {
			segments[key] = segment{fields["conditions"], conditions}
		}
	}
	return segments
}
