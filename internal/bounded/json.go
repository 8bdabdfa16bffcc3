package bounded

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// JSONFault says in the words of JSON, and not of Go, why a text could not be decoded, by the error of encoding/json:
// "ptd_config.device_type is a text, want a whole number". field is where the decoded text stands in a larger one;
// empty: it is the whole. Other errors keep their texts.
func JSONFault(field string, err error) string {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return err.Error()
	}
	field = strings.Trim(field+"."+wrong.Field, ".")
	found, number, _ := strings.Cut(wrong.Value, " ")
	text := cmp.Or(jsonKinds[found], found)
	if number != "" { // one that the Go type cannot hold
		text = number
	}
	return fmt.Sprintf("%s is %s, want %s", cmp.Or(field, "it"), text, wantedKind(wrong.Type))
}

// jsonKinds are the jsonKinds of JSON's values as texts name them, by encoding/json's words.
var jsonKinds = map[string]string{
	"object": "an object", "array": "a list", "string": "a text", "number": "a number", "bool": "true or false",
}

// wantedKind is the kind of JSON's value that a Go type takes.
func wantedKind(t reflect.Type) string {
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
		return wantedKind(t.Elem())
	default:
		return "a whole number"
	}
}
