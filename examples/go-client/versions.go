package flagsvc

import "strings"

// version is a version of EV-81: three numbers of any length, and the identifiers of a prerelease. Its build is not
// kept, because it does not affect the order.
type version struct {
	numbers    [3]string
	prerelease []string
}

func parseVersion(value any) (version, bool) {
	text, ok := value.(string)
	if !ok {
		return version{}, false
	}
	if text != "" && (text[0] == 'v' || text[0] == 'V') {
		text = text[1:]
	}
	text, build, hasBuild := strings.Cut(text, "+")
	if hasBuild && !every(strings.Split(build, "."), isIdentifier) {
		return version{}, false
	}
	core, rest, hasPrerelease := strings.Cut(text, "-")
	numbers := strings.Split(core, ".")
	if len(numbers) > 3 || !every(numbers, isVersionNumber) {
		return version{}, false
	}
	parsed := version{numbers: [3]string{"0", "0", "0"}}
	copy(parsed.numbers[:], numbers)
	if hasPrerelease {
		parsed.prerelease = strings.Split(rest, ".")
		isValid := func(text string) bool {
			return isIdentifier(text) && (!isDigits(text) || isVersionNumber(text))
		}
		if !every(parsed.prerelease, isValid) {
			return version{}, false
		}
	}
	return parsed, true
}

// compare orders versions as SemVer 2.0.0 does (EV-84).
func (v version) compare(other version) int {
	for at, number := range v.numbers {
		if order := compareNumbers(number, other.numbers[at]); order != 0 {
			return order
		}
	}
	switch {
	case v.prerelease == nil && other.prerelease == nil:
		return 0
	case v.prerelease == nil:
		return 1
	case other.prerelease == nil:
		return -1
	}
	for at := 0; at < len(v.prerelease) && at < len(other.prerelease); at++ {
		if order := compareIdentifiers(v.prerelease[at], other.prerelease[at]); order != 0 {
			return order
		}
	}
	return len(v.prerelease) - len(other.prerelease)
}

// compareNumbers compares digits without leading zeros: a longer text is the greater number.
func compareNumbers(left, right string) int {
	if len(left) != len(right) {
		return len(left) - len(right)
	}
	return strings.Compare(left, right)
}

func compareIdentifiers(left, right string) int {
	switch isNumber, otherIsNumber := isDigits(left), isDigits(right); {
	case isNumber && otherIsNumber:
		return compareNumbers(left, right)
	case isNumber:
		return -1
	case otherIsNumber:
		return 1
	}
	return strings.Compare(left, right)
}

func isVersionNumber(text string) bool {
	return isDigits(text) && (text == "0" || text[0] != '0')
}

func isIdentifier(text string) bool {
	for at := 0; at < len(text); at++ {
		if sign := text[at]; sign != '-' && !isDigit(sign) && !isLetter(rune(sign)) {
			return false
		}
	}
	return text != ""
}

func isLetter(code rune) bool {
	return 'a' <= code && code <= 'z' || 'A' <= code && code <= 'Z'
}

func every(texts []string, holds func(string) bool) bool {
	for _, text := range texts {
		if !holds(text) {
			return false
		}
	}
	return true
}
