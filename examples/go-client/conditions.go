package flagsvc

import "strings"

const segmentAttribute = "$segment"

// condition is one comparison of a rule. A negative operator matches where its positive twin does not, unless the
// attribute is missing (EV-54).
type condition struct {
	attribute  string
	isNegative bool
	// test is nil when the operator is unknown or the value has the wrong shape: the condition never matches.
	test func(scalar any) bool
	// segments holds the keys that a condition on $segment names; it is nil for every other condition.
	segments map[string]bool
}

var twins = map[string]string{"is_not": "is", "not_contains": "contains", "not_one_of": "one_of"}

func newCondition(attribute, operator string, value any, mayNameSegments bool) condition {
	made := condition{attribute: attribute}
	if twin, isNegative := twins[operator]; isNegative {
		operator, made.isNegative = twin, true
	}
	if attribute != segmentAttribute {
		made.test = newTest(operator, value)
	} else if mayNameSegments {
		made.segments = namedTexts(operator, value)
	}
	return made
}

// namedTexts returns the texts of `is` and `one_of`; nil for another operator, and for a value of the wrong shape.
func namedTexts(operator string, value any) map[string]bool {
	switch operator {
	case "is":
		if text, ok := textOf(value); ok {
			return map[string]bool{text: true}
		}
	case "one_of":
		items, ok := value.([]any)
		if !ok {
			return nil
		}
		texts := make(map[string]bool, len(items))
		for _, item := range items {
			if text, ok := textOf(item); ok {
				texts[text] = true
			}
		}
		return texts
	}
	return nil
}

// newTest returns the test of a positive operator for one scalar; nil if it can never match.
func newTest(operator string, value any) func(any) bool {
	switch operator {
	case "is", "one_of":
		if texts := namedTexts(operator, value); texts != nil {
			return onText(func(text string) bool { return texts[text] })
		}
	case "contains":
		if part, ok := textOf(value); ok {
			return onText(func(text string) bool { return strings.Contains(text, part) })
		}
	case "matches_regex":
		if source, ok := textOf(value); ok {
			if pattern := parsePattern(source); pattern != nil {
				return onText(pattern.matches)
			}
		}
	case "gt", "lt":
		if bound, ok := numberOf(value); ok {
			isAbove := operator == "gt"
			return func(scalar any) bool {
				number, ok := numberOf(scalar)
				return ok && (isAbove && number > bound || !isAbove && number < bound)
			}
		}
	case "version_gt", "version_lt":
		if bound, ok := parseVersion(value); ok {
			isAbove := operator == "version_gt"
			return func(scalar any) bool {
				found, ok := parseVersion(scalar)
				order := found.compare(bound)
				return ok && (isAbove && order > 0 || !isAbove && order < 0)
			}
		}
	}
	return nil
}

func onText(test func(string) bool) func(any) bool {
	return func(scalar any) bool {
		text, ok := textOf(scalar)
		return ok && test(text)
	}
}

func (e *Evaluator) matchesAll(conditions []condition, context Context) bool {
	for at := range conditions {
		if !e.matches(&conditions[at], context) {
			return false
		}
	}
	return true
}

func (e *Evaluator) matches(c *condition, context Context) bool {
	if c.segments != nil {
		return e.isMember(c.segments, context) != c.isNegative
	}
	if c.test == nil {
		return false
	}
	value := context.attribute(c.attribute)
	if elements, isList := value.([]any); isList {
		for _, element := range elements {
			if isScalar(element) && c.test(element) {
				return !c.isNegative
			}
		}
		return c.isNegative
	}
	return isScalar(value) && c.test(value) != c.isNegative
}

func isScalar(value any) bool {
	switch value := value.(type) {
	case string, bool:
		return true
	case float64:
		return isFinite(value)
	}
	return false
}

func (e *Evaluator) isMember(keys map[string]bool, context Context) bool {
	for key := range keys {
		if found, ok := e.segments[key]; ok && e.matchesAll(found.conditions, context) {
			return true
		}
	}
	return false
}
