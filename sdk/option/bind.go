package option

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// Bind reads parameters into the exported fields of the struct that to points to, and of the structs in it, in their
// order. A field's tags determine its parameter and the valid values:
//
//	type settings struct {
//		Input  string        `param:"input"`
//		Beams  int           `param:"beams" min:"1" max:"1024"`
//		Cache  int64         `param:"cache_mb" min:"1" max:"1<<24" times:"1<<20"`
//		Copies bool          `param:"copy_state" choices:"no,yes"`
//		DType  payload.DType `param:"dtype"`
//	}
//	option.Bind(p, &s, option.ReaderFunc("dtype", topk.DTypes().Parse))
//
// The tag param contains the parameter's name. With the suffix ",optional", an empty value leaves the field unchanged.
// Numbers have the tags min and max: a number, a power of two (1<<24), or the name of an integer type, which means its
// minimum or maximum. times is a factor for whole numbers. The tag choices lists words separated by commas; the empty
// word is allowed. A bool is true for the second of two words, a whole number is the index of the word, counted from 0,
// and a text is the word. The tags default, help and roles are for the parameter's documentation; see [Fields].
//
// Readers replace the tags of parameters for which tags are not sufficient. After a fault, which Params keeps, the
// field is the zero value. Bind panics if a field or a reader is invalid; Fields finds these errors too.
func Bind(p *Params, to any, readers ...ParamReader) {
	v := reflect.ValueOf(to)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		panic(fmt.Sprintf("option.Bind: %T, want a pointer to a struct", to))
	}
	names := map[string]bool{}
	for _, f := range fieldsOf(v.Elem()) {
		names[f.name] = true
		if value := p.Text(f.name); value != "" || !f.optional {
			v, err := f.fieldReader(readers)(value)
			p.AddFault(f.name, err)
			f.value.Set(v)
		}
	}
	for _, r := range readers {
		if !names[r.name] {
			panic(fmt.Sprintf("option.Bind: %T has no field of parameter %q, which a reader reads", to, r.name))
		}
	}
}

// ParamReader reads one parameter with a function.
type ParamReader struct {
	name string
	read func(value string) (reflect.Value, error)
}

// ReaderFunc returns a reader that uses a function. The function's errors state the expected form. The reader adds the
// parameter's name and value.
func ReaderFunc[T any](param string, read func(value string) (T, error)) ParamReader {
	return ParamReader{param, func(value string) (reflect.Value, error) {
		v, err := read(value)
		return reflect.ValueOf(&v).Elem(), err
	}}
}

// WholeNumber returns a function, for [ReaderFunc], that reads a whole number from low to high. Use it instead of tags
// for limits that are constants of the program.
func WholeNumber(low, high int) func(value string) (int, error) { return wholeReader(low, high) }

// WordReader returns a reader of a parameter whose value is one of the words. It converts the word to its value in the
// map. If words contains the empty word, the value may be empty.
func WordReader[T any](param string, words map[string]T) ParamReader {
	return ReaderFunc(param, wordReader(words))
}

// TensorNames returns a function, for [ReaderFunc], that reads the names of n tensors, separated by commas, each with
// its aliases after "|". The tensors may have any shape [N,S]. what describes their contents. The empty text selects
// the model's first tensors.
func TensorNames(param, what string, n int) func(text string) ([]backend.TensorInfo, error) {
	return func(text string) ([]backend.TensorInfo, error) {
		names := make([]string, n)
		if text != "" {
			names = strings.Split(text, ",")
		}
		if len(names) != n {
			return nil, fmt.Errorf("want %d names with commas between them, of %s, or nothing to take the model's first",
				n, what)
		}
		tensors := make([]backend.TensorInfo, n)
		for i, name := range names {
			aliases := strings.Split(name, "|")
			tensors[i] = backend.TensorInfo{
				Name: aliases[0], Shape: []int64{-1, -1}, Aliases: aliases[1:], Chosen: "--param " + param + "=NAME,...",
			}
		}
		return tensors, nil
	}
}

// ParamField describes one parameter by the tags of a struct.
type ParamField struct {
	Name          string
	Default, Help string
	Roles         string // see sdk.ParamInfo
	HasDefault    bool   // a default exists, but may be empty
}

// Fields returns the parameters that Bind reads into a struct like of. An error names the invalid field.
func Fields(of any) (all []ParamField, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("%v", fault)
		}
	}()
	for _, f := range fieldsOf(reflect.New(reflect.TypeOf(of)).Elem()) {
		def, has := f.tag.Lookup("default")
		all = append(all, ParamField{Name: f.name, Default: def, Help: f.tag.Get("help"), Roles: f.tag.Get("roles"),
			HasDefault: has})
		if f.hasLimits() {
			f.fieldReader(nil)
		}
	}
	return all, nil
}

// boundField is a field to which a parameter is bound.
type boundField struct {
	name     string
	optional bool
	tag      reflect.StructTag
	value    reflect.Value
}

// fieldsOf returns the fields of a struct, and those of structs in it that are not parameters themselves.
func fieldsOf(v reflect.Value) (all []boundField) {
	for i := range v.NumField() {
		info := v.Type().Field(i)
		tag, ok := info.Tag.Lookup("param")
		switch {
		case ok && !info.IsExported():
			panic(fmt.Sprintf("parameter %q is bound to %v.%s, want an exported field", tag, v.Type(), info.Name))
		case ok:
			name, rest, _ := strings.Cut(tag, ",")
			all = append(all, boundField{name, rest == "optional", info.Tag, v.Field(i)})
		case info.Type.Kind() == reflect.Struct && (info.IsExported() || info.Anonymous):
			all = append(all, fieldsOf(v.Field(i))...)
		}
	}
	return all
}

// hasLimits reports whether tags determine the valid values.
func (f boundField) hasLimits() bool {
	for _, name := range []string{"min", "max", "choices", "times"} {
		if _, ok := f.tag.Lookup(name); ok {
			return true
		}
	}
	return false
}

// fieldReader returns the function that reads the field: one of readers, or one that follows from its tags and its
// type.
func (f boundField) fieldReader(readers []ParamReader) func(string) (reflect.Value, error) {
	if i := slices.IndexFunc(readers, func(r ParamReader) bool { return r.name == f.name }); i >= 0 {
		return readers[i].read
	}
	if words, ok := f.tag.Lookup("choices"); ok {
		return f.choiceReader(strings.Split(words, ","))
	}
	switch f.value.Kind() {
	case reflect.String:
		return f.convertReader(func(value string) (any, error) { return value, nil })
	case reflect.Bool:
		return f.convertReader(func(value string) (any, error) { return parseBool(value) })
	case reflect.Float32, reflect.Float64:
		read := numberReader(tagNumber(f, "min", parseFloat), tagNumber(f, "max", parseFloat))
		return f.convertReader(func(value string) (any, error) { return read(value) })
	}
	if !f.isWhole() {
		panic(fmt.Sprintf("parameter %q is a %v, want a reader of it", f.name, f.value.Type()))
	}
	read, times := wholeReader(tagNumber(f, "min", parseMin), tagNumber(f, "max", parseMax)), 1
	if _, ok := f.tag.Lookup("times"); ok {
		times = tagNumber(f, "times", parseMax)
	}
	return f.convertReader(func(value string) (any, error) {
		n, err := read(value)
		return n * times, err
	})
}

func (f boundField) isWhole() bool { return f.value.CanInt() || f.value.CanUint() }

// convertReader converts the result of read to the field's type. After an error the result is the zero value.
func (f boundField) convertReader(read func(string) (any, error)) func(string) (reflect.Value, error) {
	return func(value string) (reflect.Value, error) {
		v, err := read(value)
		if err != nil {
			return reflect.Zero(f.value.Type()), err
		}
		return reflect.ValueOf(v).Convert(f.value.Type()), nil
	}
}

// choiceReader returns a function that reads one of some words.
func (f boundField) choiceReader(words []string) func(string) (reflect.Value, error) {
	places := map[string]int{}
	for i, w := range words {
		places[w] = i
	}
	read := wordReader(places)
	var hold func(place int) any
	switch kind := f.value.Kind(); {
	case kind == reflect.Bool && len(words) == 2:
		hold = func(place int) any { return place == 1 }
	case kind == reflect.String:
		hold = func(place int) any { return words[place] }
	case f.isWhole():
		hold = func(place int) any { return place }
	default:
		panic(fmt.Sprintf("parameter %q is a %v of %d words, want a text, a whole number, or a bool of two", f.name,
			f.value.Type(), len(words)))
	}
	return f.convertReader(func(value string) (any, error) {
		place, err := read(value)
		return hold(place), err
	})
}
