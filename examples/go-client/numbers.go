package flagsvc

import (
	"math"
	"strconv"
	"strings"
)

// numberText writes a finite number as ECMAScript does (EV-69, EV-70). Go finds the same digits, but lays them out in
// another way.
func numberText(number float64) string {
	if number == 0 {
		return "0"
	}
	if number < 0 {
		return "-" + numberText(-number)
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(number, 'e', -1, 64), "e")
	digits := strings.Replace(mantissa, ".", "", 1)
	power, _ := strconv.Atoi(exponent)
	point, count := power+1, len(digits)
	switch {
	case count <= point && point <= 21:
		return digits + strings.Repeat("0", point-count)
	case 0 < point && point <= 21:
		return digits[:point] + "." + digits[point:]
	case -6 < point && point <= 0:
		return "0." + strings.Repeat("0", -point) + digits
	}
	sign := "+"
	if power < 0 {
		sign, power = "-", -power
	}
	if count > 1 {
		digits = digits[:1] + "." + digits[1:]
	}
	return digits + "e" + sign + strconv.Itoa(power)
}

func isFinite(number float64) bool {
	return !math.IsNaN(number) && !math.IsInf(number, 0)
}

// textOf returns a scalar as a string (EV-65, EV-69).
func textOf(value any) (string, bool) {
	switch value := value.(type) {
	case string:
		return value, true
	case bool:
		return strconv.FormatBool(value), true
	case float64:
		return numberText(value), isFinite(value)
	}
	return "", false
}

// numberOf returns the value of a number or of a decimal string (EV-77 to EV-80).
func numberOf(value any) (float64, bool) {
	if number, ok := value.(float64); ok {
		return number, isFinite(number)
	}
	text, ok := value.(string)
	if !ok || !isDecimal(text) {
		return 0, false
	}
	number, _ := strconv.ParseFloat(text, 64)
	return number, isFinite(number)
}

// isDecimal tests the grammar of EV-77. strconv.ParseFloat accepts more: hexadecimal, "inf" and "nan".
func isDecimal(text string) bool {
	unsigned := strings.TrimLeft(text, "+-")
	if len(text)-len(unsigned) > 1 {
		return false
	}
	mantissa, exponent, hasExponent := cutAny(unsigned, "eE")
	if hasExponent {
		digits := strings.TrimLeft(exponent, "+-")
		if len(exponent)-len(digits) > 1 || !isDigits(digits) {
			return false
		}
	}
	whole, fraction, hasPoint := strings.Cut(mantissa, ".")
	if !hasPoint {
		return isDigits(whole)
	}
	return (whole == "" || isDigits(whole)) && isDigits(fraction)
}

func cutAny(text, signs string) (before, after string, found bool) {
	if at := strings.IndexAny(text, signs); at >= 0 {
		return text[:at], text[at+1:], true
	}
	return text, "", false
}

func isDigit(sign byte) bool { return '0' <= sign && sign <= '9' }

func isDigits(text string) bool {
	for at := 0; at < len(text); at++ {
		if !isDigit(text[at]) {
			return false
		}
	}
	return text != ""
}
