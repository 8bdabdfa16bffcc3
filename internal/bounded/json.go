package bounded

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// ExplainJSONError explains an error of encoding/json in JSON's words instead of Go's: "ptd_config.device_type is a
// text, want a whole number". field is the path of the decoded text in the larger one, or empty if it is the whole. It
// returns the texts of other errors unchanged.
func ExplainJSONError(field string, err error) string {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return err.Error()
	}
	field = strings.Trim(field+"."+wrong.Field, ".")
	found, number, _ := strings.Cut(wrong.Value, " ")
	text := cmp.Or(jsonKinds[found], found)
	if number != "" { // a number outside the range of the Go type
		text = number
	}
	return fmt.Sprintf("%s is %s, want %s", cmp.Or(field, "it"), text, expectedKind(wrong.Type))
}

// jsonKinds maps encoding/json's words for the kinds of JSON values to the words of error messages.
var jsonKinds = map[string]string{
	"object": "an object", "array": "a list", "string": "a text", "number": "a number", "bool": "true or false",
}

// expectedKind returns the kind of JSON value that a Go type can hold.
func expectedKind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Struct, reflect.Map:
		return jsonKinds["object"]
	case reflect.Slice, reflect.Array:
		return jsonKinds["array"]
	case reflect.String:
		return jsonKinds["string"]
	case reflect.Bool:
		return jsonKinds["bool"]
	case reflect.Float32, reflect.Float64:
		return jsonKinds["number"]
	case reflect.Pointer:
		return expectedKind(t.Elem())
	default:
		return "a whole number"
	}
}
