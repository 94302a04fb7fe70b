package flagsvc

import "reflect"

// Context describes the user for whom flags are evaluated. The zero value is an anonymous user.
type Context struct {
	userKey    string
	hasUserKey bool
	attributes map[string]any
}

// NewContext returns the context of a user. The key decides the user's bucket in rollouts.
func NewContext(userKey string) Context {
	return Context{userKey: userKey, hasUserKey: true}
}

// With returns a copy of the context with one more attribute: a string, a boolean, a number of any type, or a slice of
// these. Any other value counts as missing.
func (c Context) With(name string, value any) Context {
	attributes := make(map[string]any, len(c.attributes)+1)
	for name, value := range c.attributes {
		attributes[name] = value
	}
	attributes[name] = toJSON(reflect.ValueOf(value), 0)
	c.attributes = attributes
	return c
}

// ContextFromJSON returns the context that a decoded JSON value describes by user_key and attributes, whatever its
// shape (EV-27).
func ContextFromJSON(value any) Context {
	fields, _ := value.(map[string]any)
	key, hasKey := fields["user_key"].(string)
	attributes, _ := fields["attributes"].(map[string]any)
	return Context{userKey: key, hasUserKey: hasKey, attributes: attributes}
}

// attribute returns nil for what is missing. An attribute user_key takes precedence over the key itself (EV-59).
func (c Context) attribute(name string) any {
	if value, ok := c.attributes[name]; ok {
		return value
	}
	if name == "user_key" && c.hasUserKey {
		return c.userKey
	}
	return nil
}

// toJSON turns a Go value into a JSON value; nil for what JSON cannot hold.
func toJSON(value reflect.Value, depth int) any {
	if depth > 100 {
		return nil
	}
	switch value.Kind() {
	case reflect.Bool:
		return value.Bool()
	case reflect.String:
		return value.String()
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return float64(value.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return float64(value.Uint())
	case reflect.Float32, reflect.Float64:
		return value.Float()
	case reflect.Interface, reflect.Pointer:
		return toJSON(value.Elem(), depth+1)
	case reflect.Slice, reflect.Array:
		items := make([]any, value.Len())
		for at := range items {
			items[at] = toJSON(value.Index(at), depth+1)
		}
		return items
	case reflect.Map:
		fields := make(map[string]any, value.Len())
		for _, name := range value.MapKeys() {
			if name.Kind() == reflect.String {
				fields[name.String()] = toJSON(value.MapIndex(name), depth+1)
			}
		}
		return fields
	}
	return nil
}
