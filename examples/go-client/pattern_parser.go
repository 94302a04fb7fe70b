package flagsvc

import (
	"sort"
	"strings"
)

const (
	meta             = `.^$|()[]{}*+?\`
	maxPatternLength = 512
	maxRepeat        = 1000
	maxStates        = 10_000
	lastCode         = 0x10FFFF
)

// codeRange is a range of code points, both ends included.
type codeRange struct{ low, high rune }

type patternParser struct {
	source []rune
	at     int
	flags  string
}

// parsePattern returns nil for a pattern outside the dialect.
func parsePattern(source string) *pattern {
	parser := &patternParser{source: codePoints(source)}
	parser.readFlags()
	if len(parser.source) > maxPatternLength || parser.at == len(parser.source) {
		return nil
	}
	tree := parser.alternation()
	if tree == nil || parser.at < len(parser.source) || tree.states() > maxStates {
		return nil
	}
	made := &pattern{isMultiline: parser.has('m')}
	made.write(tree)
	return made
}

// peek returns noCode behind the end.
func (p *patternParser) peek(ahead int) rune {
	if p.at+ahead < len(p.source) {
		return p.source[p.at+ahead]
	}
	return noCode
}

func (p *patternParser) take(wanted rune) bool {
	found := p.peek(0) == wanted
	if found {
		p.at++
	}
	return found
}

func (p *patternParser) has(flag rune) bool { return strings.ContainsRune(p.flags, flag) }

func isOneOf(code rune, signs string) bool { return code >= 0 && strings.ContainsRune(signs, code) }

func (p *patternParser) readFlags() {
	if p.peek(0) != '(' || p.peek(1) != '?' {
		return
	}
	end := 2
	for isOneOf(p.peek(end), "ims") {
		end++
	}
	if end > 2 && p.peek(end) == ')' {
		p.flags = string(p.source[2:end])
		p.at = end + 1
	}
}

func (p *patternParser) alternation() *node {
	choice := &node{kind: choiceNode}
	for {
		branch := p.branch()
		if branch == nil {
			return nil
		}
		choice.parts = append(choice.parts, branch)
		if !p.take('|') {
			return choice
		}
	}
}

func (p *patternParser) branch() *node {
	sequence := &node{kind: sequenceNode}
	for p.peek(0) != noCode && !isOneOf(p.peek(0), "|)") {
		part := p.assertion()
		if part == nil {
			if part = p.atom(); part == nil {
				return nil
			}
			if part = p.quantified(part); part == nil {
				return nil
			}
		}
		sequence.parts = append(sequence.parts, part)
	}
	return sequence
}

func (p *patternParser) assertion() *node {
	found, length := atStart, 1
	switch next, second := p.peek(0), p.peek(1); {
	case next == '^':
	case next == '$':
		found = atEnd
	case next == '\\' && second == 'b':
		found, length = atBorder, 2
	case next == '\\' && second == 'B':
		found, length = atNoBorder, 2
	default:
		return nil
	}
	p.at += length
	return &node{kind: assertNode, assertion: found}
}

func (p *patternParser) atom() *node {
	if p.take('(') {
		if p.take('?') && !p.take(':') {
			return nil
		}
		group := p.alternation()
		if group == nil || !p.take(')') {
			return nil
		}
		return group
	}
	var set []codeRange
	switch {
	case p.take('['):
		if set = p.class(); set == nil {
			return nil
		}
	case p.take('.'):
		set = []codeRange{{0, lastCode}}
		if !p.has('s') {
			set = complement([]codeRange{{'\n', '\n'}})
		}
	default:
		if set = p.shorthand("dDwWsS"); set == nil {
			code, ok := p.character(meta, "/")
			if !ok {
				return nil
			}
			set = p.folded([]codeRange{{code, code}})
		}
	}
	return &node{kind: takeNode, set: set}
}

func (p *patternParser) quantified(part *node) *node {
	repeat := &node{kind: repeatNode, parts: []*node{part}, max: -1}
	switch {
	case p.take('*'):
	case p.take('+'):
		repeat.min = 1
	case p.take('?'):
		repeat.max = 1
	case p.take('{'):
		if !p.counts(repeat) {
			return nil
		}
	default:
		return part
	}
	p.take('?')
	return repeat
}

// counts reads a quantifier behind its brace.
func (p *patternParser) counts(repeat *node) bool {
	var ok bool
	if repeat.min, ok = p.count(); !ok {
		return false
	}
	repeat.max = repeat.min
	if p.take(',') {
		repeat.max = -1
		if p.peek(0) != '}' {
			if repeat.max, ok = p.count(); !ok || repeat.max < repeat.min {
				return false
			}
		}
	}
	return p.take('}')
}

func (p *patternParser) count() (int, bool) {
	start, value := p.at, 0
	for p.at-start < 4 && isOneOf(p.peek(0), "0123456789") {
		value = value*10 + int(p.peek(0)-'0')
		p.at++
	}
	digits := p.at - start
	hasLeadingZero := digits > 1 && p.source[start] == '0'
	return value, digits > 0 && !hasLeadingZero && value <= maxRepeat
}

// character reads a code point outside `refused`, or a backslash before a meta or one of `more`.
func (p *patternParser) character(refused, more string) (rune, bool) {
	isEscaped := p.take('\\')
	code := p.peek(0)
	if code == noCode {
		return 0, false
	}
	p.at++
	if !isEscaped {
		return code, !isOneOf(code, refused)
	}
	if at := strings.IndexRune("tnfr", code); at >= 0 {
		return rune("\t\n\f\r"[at]), true
	}
	return code, isOneOf(code, meta) || isOneOf(code, more)
}

var shorthands = map[rune][]codeRange{
	'd': {{'0', '9'}},
	'w': {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}},
	's': {{'\t', '\n'}, {'\f', '\r'}, {' ', ' '}},
}

// shorthand reads an escape such as \d; nil if the next one is none of the letters.
func (p *patternParser) shorthand(letters string) []codeRange {
	letter := p.peek(1)
	if p.peek(0) != '\\' || !isOneOf(letter, letters) {
		return nil
	}
	p.at += 2
	if set, ok := shorthands[letter]; ok {
		return set
	}
	return complement(shorthands[letter+'a'-'A'])
}

// class reads a class behind its bracket; nil if it is outside the dialect.
func (p *patternParser) class() []codeRange {
	isNegated := p.take('^')
	var set []codeRange
	for isFirst := true; isFirst || !p.take(']'); isFirst = false {
		item := p.classItem(isFirst)
		if item == nil {
			return nil
		}
		set = append(set, item...)
	}
	set = p.folded(set)
	if isNegated {
		return complement(set)
	}
	return set
}

func (p *patternParser) classItem(isFirst bool) []codeRange {
	if (isFirst || p.peek(1) == ']') && p.take('-') {
		return []codeRange{{'-', '-'}}
	}
	if set := p.shorthand("dDwWs"); set != nil {
		return set
	}
	low, ok := p.member()
	if !ok {
		return nil
	}
	if p.peek(0) != '-' || p.peek(1) == ']' {
		return []codeRange{{low, low}}
	}
	p.at++
	high, ok := p.member()
	if !ok || high < low {
		return nil
	}
	return []codeRange{{low, high}}
}

func (p *patternParser) member() (rune, bool) {
	if p.peek(0) == p.peek(1) && isOneOf(p.peek(0), "&~|") {
		return 0, false
	}
	return p.character("[]-", "/-")
}

// folded adds the other case of ASCII letters under the flag i (EV-106).
func (p *patternParser) folded(set []codeRange) []codeRange {
	if !p.has('i') {
		return set
	}
	all := append([]codeRange(nil), set...)
	for _, one := range set {
		for _, letters := range [...]codeRange{{'A', 'Z'}, {'a', 'z'}} {
			low, high := one.low, one.high
			if low < letters.low {
				low = letters.low
			}
			if high > letters.high {
				high = letters.high
			}
			if low <= high {
				all = append(all, codeRange{low ^ 32, high ^ 32})
			}
		}
	}
	return all
}

// complement never returns nil, which stands for a class outside the dialect.
func complement(set []codeRange) []codeRange {
	sorted := append([]codeRange(nil), set...)
	sort.Slice(sorted, func(one, other int) bool { return sorted[one].low < sorted[other].low })
	others, next := []codeRange{}, rune(0)
	for _, one := range sorted {
		if next < one.low {
			others = append(others, codeRange{next, one.low - 1})
		}
		if one.high+1 > next {
			next = one.high + 1
		}
	}
	if next <= lastCode {
		others = append(others, codeRange{next, lastCode})
	}
	return others
}
