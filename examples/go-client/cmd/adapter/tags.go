package main

import "math"

// JSON cannot carry NaN, the infinities, -0 and absent values; schema/tags.schema.json describes what stands for them.

var numbers = map[string]float64{
	"NaN": math.NaN(), "Infinity": math.Inf(1), "-Infinity": math.Inf(-1), "-0": math.Copysign(0, -1),
}

func decodeTags(value any) any {
	switch value := value.(type) {
	case []any:
		items := make([]any, len(value))
		for at, item := range value {
			items[at] = decodeTags(item)
		}
		return items
	case fields:
		if name, ok := value["$number"].(string); ok && len(value) == 1 {
			if number, ok := numbers[name]; ok {
				return number
			}
		}
		decoded := fields{}
		for name, item := range value {
			// Go has no inherited properties.
			if name != "$inherited" && !isAbsent(item) {
				decoded[name] = decodeTags(item)
			}
		}
		return decoded
	}
	return value
}

func isAbsent(value any) bool {
	tag, ok := value.(fields)
	return ok && len(tag) == 1 && tag["$absent"] == true
}

func encodeTags(value any) any {
	switch value := value.(type) {
	case []any:
		items := make([]any, len(value))
		for at, item := range value {
			items[at] = encodeTags(item)
		}
		return items
	case fields:
		encoded := fields{}
		for name, item := range value {
			encoded[name] = encodeTags(item)
		}
		return encoded
	case float64:
		switch {
		case math.IsNaN(value):
			return fields{"$number": "NaN"}
		case math.IsInf(value, 1):
			return fields{"$number": "Infinity"}
		case math.IsInf(value, -1):
			return fields{"$number": "-Infinity"}
		case value == 0 && math.Signbit(value):
			return fields{"$number": "-0"}
		}
	}
	return value
}
