package flagsvc

import "reflect"

// changedFlags returns the keys of the flags that may answer differently (CL-67): those that appeared, disappeared or
// have another definition, those that use a segment with another definition, and those that depend on one of these.
func changedFlags(before, after *Evaluator) []string {
	changed := map[string]bool{}
	for key, found := range after.flags {
		earlier, existed := before.flags[key]
		changed[key] = !existed || !reflect.DeepEqual(earlier.raw, found.raw) || usesChangedSegment(found, before, after)
	}
	for key := range before.flags {
		if _, exists := after.flags[key]; !exists {
			changed[key] = true
		}
	}
	dependents := map[string][]string{}
	for _, found := range after.flags {
		for _, needed := range found.prerequisites {
			dependents[needed.flagKey] = append(dependents[needed.flagKey], found.key)
		}
	}
	var keys []string
	for key, isChanged := range changed {
		if isChanged {
			keys = append(keys, key)
		}
	}
	for at := 0; at < len(keys); at++ {
		for _, dependent := range dependents[keys[at]] {
			if !changed[dependent] {
				changed[dependent] = true
				keys = append(keys, dependent)
			}
		}
	}
	return keys
}

func usesChangedSegment(f *flag, before, after *Evaluator) bool {
	for _, each := range f.rules {
		for _, condition := range each.conditions {
			for key := range condition.segments {
				earlier, existed := before.segments[key]
				now, exists := after.segments[key]
				if existed != exists || !reflect.DeepEqual(earlier.raw, now.raw) {
					return true
				}
			}
		}
	}
	return false
}
