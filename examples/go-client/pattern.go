package flagsvc

// pattern is a regular expression of EV-89 to EV-109 as a nondeterministic automaton, all of whose steps are followed at
// once, so that time is linear in the text. Package regexp cannot take its place: it folds the Kelvin sign with k
// (EV-106), refuses (a{100}){100} (EV-101), and knows no half of a surrogate pair (EV-109).
type pattern struct {
	steps       []step
	isMultiline bool
}

type stepKind int

const (
	takeStep   stepKind = iota // consumes a code point of its set and leads to the next step
	assertStep                 // leads to the next step where its assertion holds
	forkStep                   // leads to two steps
)

type step struct {
	kind      stepKind
	set       []codeRange
	assertion assertion
	one       int
	other     int
}

type assertion int

const (
	atStart assertion = iota
	atEnd
	atBorder
	atNoBorder
)

type nodeKind int

const (
	takeNode nodeKind = iota
	assertNode
	sequenceNode
	choiceNode
	repeatNode
)

// node is a part of a parsed pattern. A repeat without an upper bound has a max of -1.
type node struct {
	kind      nodeKind
	set       []codeRange
	assertion assertion
	parts     []*node
	min, max  int
}

// states counts as EV-100 and EV-101 say. It stops counting above the limit, so that it cannot overflow.
func (n *node) states() int {
	count := 0
	switch n.kind {
	case takeNode, assertNode:
		return 1
	case sequenceNode, choiceNode:
		for _, part := range n.parts {
			count += part.states()
		}
	case repeatNode:
		times := n.max
		if times < 0 {
			if times = n.min; times < 1 {
				times = 1
			}
		}
		count = n.parts[0].states() * times
	}
	if count > maxStates {
		return maxStates + 1
	}
	return count
}

// write appends the steps of the part. They lead to the step that is appended next.
func (p *pattern) write(n *node) {
	if n.states() == 0 {
		return // matches only the empty string
	}
	switch n.kind {
	case takeNode:
		p.steps = append(p.steps, step{kind: takeStep, set: n.set})
	case assertNode:
		p.steps = append(p.steps, step{kind: assertStep, assertion: n.assertion})
	case sequenceNode:
		for _, part := range n.parts {
			p.write(part)
		}
	case choiceNode:
		p.writeChoice(n.parts)
	case repeatNode:
		p.writeRepeat(n)
	}
}

func (p *pattern) fork(one, other int) int {
	p.steps = append(p.steps, step{kind: forkStep, one: one, other: other})
	return len(p.steps) - 1
}

func (p *pattern) writeRepeat(n *node) {
	part := n.parts[0]
	for count := 1; count < n.min; count++ {
		p.write(part)
	}
	lastCopy := len(p.steps)
	if n.min > 0 {
		p.write(part)
	}
	if n.max < 0 && n.min > 0 {
		p.fork(lastCopy, len(p.steps)+1)
		return
	}
	if n.max < 0 {
		fork := p.fork(0, 0)
		p.write(part)
		p.fork(fork, fork)
		p.steps[fork].one, p.steps[fork].other = fork+1, len(p.steps)
		return
	}
	var forks []int
	for count := n.min; count < n.max; count++ {
		forks = append(forks, p.fork(0, 0))
		p.write(part)
	}
	for _, fork := range forks {
		p.steps[fork].one, p.steps[fork].other = fork+1, len(p.steps)
	}
}

func (p *pattern) writeChoice(branches []*node) {
	var ends []int
	for at, branch := range branches {
		if at == len(branches)-1 {
			p.write(branch)
			break
		}
		fork := p.fork(0, 0)
		p.write(branch)
		ends = append(ends, p.fork(0, 0))
		p.steps[fork].one, p.steps[fork].other = fork+1, len(p.steps)
	}
	for _, end := range ends {
		p.steps[end].one, p.steps[end].other = len(p.steps), len(p.steps)
	}
}

// stepSet is a set of step numbers in the order in which they were added.
type stepSet struct {
	items []int
	has   []bool
}

func (s *stepSet) add(number int) {
	if !s.has[number] {
		s.has[number] = true
		s.items = append(s.items, number)
	}
}

func (s *stepSet) clear() {
	for _, number := range s.items {
		s.has[number] = false
	}
	s.items = s.items[:0]
}

// noCode stands for the place before the first and behind the last code point.
const noCode rune = -1

// matches reports whether the pattern matches anywhere in the text.
func (p *pattern) matches(text string) bool {
	end := len(p.steps)
	alive := &stepSet{has: make([]bool, end+1)}
	following := &stepSet{has: make([]bool, end+1)}
	before := noCode
	for _, code := range append(codePoints(text), noCode) {
		alive.add(0)
		for at := 0; at < len(alive.items); at++ {
			number := alive.items[at]
			if number == end {
				return true
			}
			switch current := &p.steps[number]; current.kind {
			case takeStep:
				if contains(current.set, code) {
					following.add(number + 1)
				}
			case assertStep:
				if p.holds(current.assertion, before, code) {
					alive.add(number + 1)
				}
			case forkStep:
				alive.add(current.one)
				alive.add(current.other)
			}
		}
		alive, following = following, alive
		following.clear()
		before = code
	}
	return false
}

func (p *pattern) holds(a assertion, before, after rune) bool {
	isEdge := func(code rune) bool { return code == noCode || p.isMultiline && code == '\n' }
	switch a {
	case atStart:
		return isEdge(before)
	case atEnd:
		return isEdge(after)
	case atBorder:
		return isWord(before) != isWord(after)
	}
	return isWord(before) == isWord(after)
}

func isWord(code rune) bool {
	return isLetter(code) || '0' <= code && code <= '9' || code == '_'
}

func contains(set []codeRange, code rune) bool {
	for _, one := range set {
		if one.low <= code && code <= one.high {
			return true
		}
	}
	return false
}
