// Package flagsvc evaluates feature flags in Go: an evaluator for compiled rulesets, and a client that fetches them,
// follows their changes and reports what it served. It has no dependencies. The comments cite the sentences of
// what-an-evaluator-owes.md (EV) and what-a-client-owes.md (CL).
package flagsvc

// Result is the outcome of an evaluation. RuleID and VariationKey are nil where there is none.
type Result struct {
	Value        any
	Reason       string
	RuleID       *string
	VariationKey *string
}

// The reasons of a Result.
const (
	ReasonTargetingRule     = "TARGETING_RULE"
	ReasonPercentageRollout = "PERCENTAGE_ROLLOUT"
	ReasonDefault           = "DEFAULT"
	ReasonDisabled          = "DISABLED"
	ReasonPrerequisite      = "PREREQUISITE"
	ReasonFlagNotFound      = "FLAG_NOT_FOUND"
)

// Evaluator evaluates the flags of one ruleset. It is safe for concurrent use.
type Evaluator struct {
	flags    map[string]*flag
	keys     []string
	segments map[string]segment
	// unitNames are the attributes whose units rules assign.
	unitNames []string
	// broken is the number of flags that are left out.
	broken int
}

// NewEvaluator prepares a decoded ruleset of any shape. Broken parts count as absent.
func NewEvaluator(ruleset any) *Evaluator {
	fields, _ := ruleset.(map[string]any)
	made := &Evaluator{flags: map[string]*flag{}, segments: readSegments(fields["segments"])}
	items, _ := fields["flags"].([]any)
	for _, item := range items {
		read, ok := readFlag(item)
		if !ok {
			made.broken++
			continue
		}
		if _, isTaken := made.flags[read.key]; !isTaken {
			made.flags[read.key] = read
			made.keys = append(made.keys, read.key)
		}
	}
	made.unitNames = unitNamesOf(made.flags)
	return made
}

// Keys returns the keys of all flags that are not broken, in the order of the ruleset.
func (e *Evaluator) Keys() []string {
	return append([]string(nil), e.keys...)
}

// Evaluate evaluates one flag.
func (e *Evaluator) Evaluate(flagKey string, context Context) Result {
	found, ok := e.flags[flagKey]
	if !ok {
		return Result{Reason: ReasonFlagNotFound}
	}
	return e.decide(found, context)
}

// visit is a flag on the path through prerequisites, with the number of those that hold so far.
type visit struct {
	flag    *flag
	holding int
}

// decide walks through prerequisites with a list, because a long chain would overflow a stack (EV-123). Each flag is
// decided once (EV-122); one that is met again on the path is in a cycle (EV-121).
func (e *Evaluator) decide(wanted *flag, context Context) Result {
	if !wanted.enabled {
		return wanted.byDefault(ReasonDisabled)
	}
	if len(wanted.prerequisites) == 0 {
		return e.walk(wanted, context)
	}
	decided := map[*flag]Result{}
	onPath := map[*flag]bool{wanted: true}
	for path := []visit{{flag: wanted}}; len(path) > 0; {
		top := &path[len(path)-1]
		next, result, isDecided := e.step(top, decided, context)
		if !isDecided && next == nil {
			continue
		}
		if !isDecided && !onPath[next] {
			onPath[next] = true
			path = append(path, visit{flag: next})
			continue
		}
		if !isDecided {
			result = top.flag.byDefault(ReasonPrerequisite)
		}
		decided[top.flag] = result
		delete(onPath, top.flag)
		path = path[:len(path)-1]
	}
	return decided[wanted]
}

// step decides the visited flag, or returns the prerequisite that must be decided first, or notes that one holds.
func (e *Evaluator) step(at *visit, decided map[*flag]Result, context Context) (*flag, Result, bool) {
	current := at.flag
	if !current.enabled {
		return nil, current.byDefault(ReasonDisabled), true
	}
	if at.holding == len(current.prerequisites) {
		return nil, e.walk(current, context), true
	}
	needed := current.prerequisites[at.holding]
	next, exists := e.flags[needed.flagKey]
	served, isDecided := decided[next]
	switch {
	case !exists:
		return nil, current.byDefault(ReasonPrerequisite), true
	case !isDecided:
		return next, Result{}, false
	case served.Reason == ReasonDisabled || served.Reason == ReasonPrerequisite ||
		*served.VariationKey != needed.variation:
		return nil, current.byDefault(ReasonPrerequisite), true
	}
	at.holding++
	return nil, Result{}, false
}

// walk tries the rules in order: the first whose conditions all match decides.
func (e *Evaluator) walk(f *flag, context Context) Result {
	for at := range f.rules {
		tried := &f.rules[at]
		if !e.matchesAll(tried.conditions, context) {
			continue
		}
		variation, reason := tried.variation, ReasonTargetingRule
		if tried.rollout != nil {
			variation, reason = tried.bucketed(f.key, context), ReasonPercentageRollout
		}
		if variation == nil {
			break
		}
		if value, exists := f.values[*variation]; exists {
			return Result{Value: value, Reason: reason, RuleID: &tried.id, VariationKey: variation}
		}
		break
	}
	return f.byDefault(ReasonDefault)
}

func (f *flag) byDefault(reason string) Result {
	return Result{Value: f.values[f.defaultVariation], Reason: reason, VariationKey: &f.defaultVariation}
}

// bucketed returns the variation of the user's bucket; nil if the rollout does not reach the user (EV-46 to EV-53).
func (r *rule) bucketed(flagKey string, context Context) *string {
	if r.units != nil {
		return r.units.assigned(context)
	}
	if context.userKey == "" || r.revision == 0 {
		return nil
	}
	bucket := float64(Hash(flagKey, context.userKey, r.revision) % 100)
	sum := 0.0
	for at := range r.rollout {
		if sum += r.rollout[at].percentage; sum > bucket {
			return &r.rollout[at].variation
		}
	}
	return nil
}

// Hash returns the hash of a user for a flag, in revision 1 or 2 of bucketing (EV-42, EV-48). The bucket is its
// remainder by 100.
func Hash(flagKey, userKey string, revision int) uint32 {
	hash := uint32(5381)
	for _, text := range [...]string{flagKey, ":", userKey} {
		for _, code := range codePoints(text) {
			hash = hash*33 + uint32(code)
		}
	}
	if revision == 2 {
		hash = (hash ^ hash>>16) * 0x85ebca6b
		hash = (hash ^ hash>>13) * 0xc2b2ae35
		hash ^= hash >> 16
	}
	return hash
}
