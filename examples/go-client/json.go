package flagsvc

import (
	"errors"
	"math"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"
)

// JSON values are nil, bool, float64, string, []any and map[string]any, as in encoding/json. This package has a reader
// of its own for two reasons: encoding/json replaces half a surrogate pair by U+FFFD, which would be another user key
// (EV-43), and it refuses a number that overflows, which only makes a condition fail (EV-56). A half is kept in three
// bytes, as UTF-8 would write it; a string that Go code makes never holds one.

var errJSON = errors.New("not JSON")

// maxDepth is the deepest nesting that is read, so that a hostile body cannot exhaust the stack.
const maxDepth = 10_000

type jsonReader struct {
	text string
	at   int
}

// DecodeJSON reads a JSON value, such as a ruleset or a context.
func DecodeJSON(text string) (any, error) {
	reader := &jsonReader{text: text}
	value, err := reader.value(0)
	if err != nil {
		return nil, err
	}
	reader.space()
	if reader.at < len(text) {
		return nil, errJSON
	}
	return value, nil
}

func (r *jsonReader) space() {
	for r.at < len(r.text) && strings.IndexByte(" \t\r\n", r.text[r.at]) >= 0 {
		r.at++
	}
}

func (r *jsonReader) take(sign byte) bool {
	r.space()
	found := r.at < len(r.text) && r.text[r.at] == sign
	if found {
		r.at++
	}
	return found
}

func (r *jsonReader) value(depth int) (any, error) {
	r.space()
	if r.at >= len(r.text) || depth > maxDepth {
		return nil, errJSON
	}
	switch r.text[r.at] {
	case '{':
		return r.object(depth)
	case '[':
		return r.array(depth)
	case '"':
		return r.str()
	}
	for word, value := range map[string]any{"true": true, "false": false, "null": nil} {
		if strings.HasPrefix(r.text[r.at:], word) {
			r.at += len(word)
			return value, nil
		}
	}
	return r.number()
}

func (r *jsonReader) object(depth int) (any, error) {
	r.at++
	object := map[string]any{}
	if r.take('}') {
		return object, nil
	}
	for {
		r.space()
		if r.at >= len(r.text) || r.text[r.at] != '"' {
			return nil, errJSON
		}
		name, err := r.str()
		if err != nil {
			return nil, err
		}
		if !r.take(':') {
			return nil, errJSON
		}
		value, err := r.value(depth + 1)
		if err != nil {
			return nil, err
		}
		object[name] = value
		if r.take('}') {
			return object, nil
		}
		if !r.take(',') {
			return nil, errJSON
		}
	}
}

func (r *jsonReader) array(depth int) (any, error) {
	r.at++
	array := []any{}
	if r.take(']') {
		return array, nil
	}
	for {
		value, err := r.value(depth + 1)
		if err != nil {
			return nil, err
		}
		array = append(array, value)
		if r.take(']') {
			return array, nil
		}
		if !r.take(',') {
			return nil, errJSON
		}
	}
}

func (r *jsonReader) number() (any, error) {
	start := r.at
	for r.at < len(r.text) && strings.IndexByte("+-.0123456789eE", r.text[r.at]) >= 0 {
		r.at++
	}
	text := r.text[start:r.at]
	digits := strings.TrimPrefix(text, "-")
	if digits == "" || !isDigit(digits[0]) || !isDigit(text[len(text)-1]) || strings.Contains(text, ".e") ||
		strings.Contains(text, ".E") || len(digits) > 1 && digits[0] == '0' && isDigit(digits[1]) {
		return nil, errJSON
	}
	number, err := strconv.ParseFloat(text, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return nil, errJSON
	}
	return number, nil
}

var escapes = map[byte]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

func (r *jsonReader) str() (string, error) {
	r.at++
	start := r.at
	for r.at < len(r.text) && r.text[r.at] != '"' && r.text[r.at] != '\\' && r.text[r.at] >= ' ' {
		r.at++
	}
	if r.at < len(r.text) && r.text[r.at] == '"' {
		r.at++
		return r.text[start : r.at-1], nil
	}
	written := []byte(r.text[start:r.at])
	for r.at < len(r.text) {
		sign := r.text[r.at]
		r.at++
		switch {
		case sign == '"':
			return string(written), nil
		case sign < ' ':
			return "", errJSON
		case sign != '\\':
			written = append(written, sign)
		default:
			var err error
			if written, err = r.escape(written); err != nil {
				return "", err
			}
		}
	}
	return "", errJSON
}

// escape reads what follows a backslash.
func (r *jsonReader) escape(written []byte) ([]byte, error) {
	if r.at >= len(r.text) {
		return nil, errJSON
	}
	sign := r.text[r.at]
	r.at++
	if plain, ok := escapes[sign]; ok {
		return append(written, plain), nil
	}
	if sign != 'u' {
		return nil, errJSON
	}
	unit, ok := r.unit()
	if !ok {
		return nil, errJSON
	}
	if unit>>10 == 0xD800>>10 && strings.HasPrefix(r.text[r.at:], `\u`) {
		before := r.at
		r.at += 2
		if low, ok := r.unit(); ok && low>>10 == 0xDC00>>10 {
			unit = 0x10000 + (unit-0xD800)<<10 + (low - 0xDC00)
		} else {
			r.at = before
		}
	}
	return appendCodePoint(written, unit), nil
}

func (r *jsonReader) unit() (rune, bool) {
	if r.at+4 > len(r.text) {
		return 0, false
	}
	unit, err := strconv.ParseUint(r.text[r.at:r.at+4], 16, 32)
	r.at += 4
	return rune(unit), err == nil
}

func appendCodePoint(bytes []byte, code rune) []byte {
	if code>>11 == 0xD800>>11 {
		return append(bytes, byte(0xE0|code>>12), byte(0x80|code>>6&0x3F), byte(0x80|code&0x3F))
	}
	return utf8.AppendRune(bytes, code)
}

// codePoints returns the code points of a string, with halves of surrogate pairs.
func codePoints(text string) []rune {
	codes := make([]rune, 0, len(text))
	for at := 0; at < len(text); {
		code, size := utf8.DecodeRuneInString(text[at:])
		if code == utf8.RuneError && size == 1 && at+3 <= len(text) && text[at] == 0xED && text[at+1] >= 0xA0 {
			code, size = rune(0xD000)|rune(text[at+1]&0x3F)<<6|rune(text[at+2]&0x3F), 3
		}
		codes = append(codes, code)
		at += size
	}
	return codes
}

// EncodeJSON writes a JSON value with sorted names. NaN and the infinities, which JSON lacks, become null.
func EncodeJSON(value any) string {
	return string(appendJSON(nil, value))
}

func appendJSON(out []byte, value any) []byte {
	switch value := value.(type) {
	case bool:
		return strconv.AppendBool(out, value)
	case string:
		return appendString(out, value)
	case float64:
		if math.IsNaN(value) || math.IsInf(value, 0) {
			return append(out, "null"...)
		}
		return append(out, numberText(value)...)
	case []any:
		out = append(out, '[')
		for at, item := range value {
			if at > 0 {
				out = append(out, ',')
			}
			out = appendJSON(out, item)
		}
		return append(out, ']')
	case map[string]any:
		names := make([]string, 0, len(value))
		for name := range value {
			names = append(names, name)
		}
		sort.Strings(names)
		out = append(out, '{')
		for at, name := range names {
			if at > 0 {
				out = append(out, ',')
			}
			out = append(appendString(out, name), ':')
			out = appendJSON(out, value[name])
		}
		return append(out, '}')
	}
	return append(out, "null"...)
}

func appendString(out []byte, text string) []byte {
	out = append(out, '"')
	for _, code := range codePoints(text) {
		switch {
		case code == '"' || code == '\\':
			out = append(out, '\\', byte(code))
		case code < ' ' || code>>11 == 0xD800>>11:
			out = append(out, `\u`...)
			out = append(out, strconv.FormatInt(0x10000|int64(code), 16)[1:]...)
		default:
			out = utf8.AppendRune(out, code)
		}
	}
	return append(out, '"')
}
