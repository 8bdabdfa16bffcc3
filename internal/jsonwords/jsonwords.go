// Package jsonwords says in the words of JSON, and not of Go, why a text could not be decoded.
package jsonwords

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// Fault is the text of an error of encoding/json: "ptd_config.device_type is a text, want a whole number". field is
// where the decoded text stands in a larger one; empty: it is the whole. Other errors keep their texts.
func Fault(field string, err error) string {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return err.Error()
	}
	field = strings.Trim(field+"."+wrong.Field, ".")
	found, number, _ := strings.Cut(wrong.Value, " ")
	text := cmp.Or(kinds[found], found)
	if number != "" { // one that the Go type cannot hold
		text = number
	}
	return fmt.Sprintf("%s is %s, want %s", cmp.Or(field, "it"), text, wanted(wrong.Type))
}

// kinds are the kinds of JSON's values as texts name them, by encoding/json's words.
var kinds = map[string]string{
	"object": "an object", "array": "a list", "string": "a text", "number": "a number", "bool": "true or false",
}

// wanted is the kind of JSON's value that a Go type takes.
func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Struct, reflect.Map:
		return kinds["object"]
	case reflect.Slice, reflect.Array:
		return kinds["array"]
	case reflect.String:
		return kinds["string"]
	case reflect.Bool:
		return kinds["bool"]
	case reflect.Float32, reflect.Float64:
		return kinds["number"]
	case reflect.Pointer:
		return wanted(t.Elem())
	default:
		return "a whole number"
	}
}
