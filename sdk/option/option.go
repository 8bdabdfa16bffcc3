// Package option reads options of the form KEY=VALUE. It reads the options of a backend (--backend-opt) into variables,
// each with a name, a default and a help text:
//
//	func (s *settings) options() option.List {
//		return option.List{
//			option.Int("concurrency", &s.places, 1, 1<<20, "most requests at a time"),
//			option.Text("model", &s.model, "the model's name at the server"),
//		}
//	}
//
// When the list is made, the values of the variables are the defaults. [Params] reads the options of a benchmark
// (--param) one by one; their defaults and help are in the manifest.
//
// In scope: reading, ranges, choices, prefixes, reporting all faults together, documentation. Out of scope: the set of
// options and their meaning (the caller).
package option

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// Option is one key, or all keys with a prefix. The functions of this package create it.
type Option struct {
	doc      backend.Option
	isPrefix bool // all keys that begin with prefix; the rest of the key is passed to read as name
	prefix   string
	secret   bool // errors must not show the value
	read     func(name, value string) error
}

// List contains all options in display order.
type List []Option

// Text returns an option that accepts any text.
func Text(name string, to *string, help string) Option {
	return Func(name, *to, help, func(value string) error {
		*to = value
		return nil
	})
}

// Int returns an option that accepts a whole number from low to high.
func Int(name string, to *int, low, high int, help string) Option {
	return variableOption(name, strconv.Itoa(*to), help, to, wholeReader(low, high))
}

// Bool returns an option that accepts true or false, or another form that strconv.ParseBool accepts.
func Bool(name string, to *bool, help string) Option {
	return variableOption(name, strconv.FormatBool(*to), help, to, parseBool)
}

// Duration returns an option that accepts a time above 0 with its unit.
func Duration(name string, to *time.Duration, help string) Option {
	return variableOption(name, to.String(), help, to, parseDuration)
}

// Choice returns an option that accepts one of the words in values.
func Choice[T comparable](name string, to *T, values map[string]T, help string) Option {
	def := ""
	for word, v := range values {
		if v == *to {
			def = word
		}
	}
	return variableOption(name, def, help, to, wordReader(values))
}

// variableOption returns an option that stores the result of read in a variable.
func variableOption[T any](name, def, help string, to *T, read func(string) (T, error)) Option {
	return Func(name, def, help, func(value string) error {
		v, err := read(value)
		if err == nil {
			*to = v
		}
		return err
	})
}

// Func returns an option whose values read parses. Errors of read state the expected form. The name and the value are
// added before them.
func Func(name, def, help string, read func(value string) error) Option {
	return Option{
		doc:  backend.Option{Name: name, Default: def, Help: help},
		read: func(_, value string) error { return read(value) },
	}
}

// Prefix returns an option that accepts every longer key with a prefix. placeholder represents the rest of the key in
// the documentation. It does not accept keys that are options themselves or match an earlier prefix in the list.
func Prefix(prefix, placeholder, help string, read func(name, value string) error) Option {
	return Option{doc: backend.Option{Name: prefix + placeholder, Help: help}, isPrefix: true, prefix: prefix, read: read}
}

// OtherKeys returns an option that accepts every key that no other option accepts.
func OtherKeys(placeholder, help string, read func(key, value string) error) Option {
	return Prefix("", placeholder, help, read)
}

// WithDefault returns o with another text as its default, such as "auto" for 0.
func (o Option) WithDefault(text string) Option {
	o.doc.Default = text
	return o
}

// OrWord returns o extended by a word, such as "auto" or "none", that means to's zero value.
func OrWord[T any](word string, to *T, o Option) Option {
	read := o.read
	o.doc.Default = word
	o.read = func(name, value string) error {
		if value == word {
			var zero T
			*to = zero
			return nil
		}
		if err := read(name, value); err != nil {
			return fmt.Errorf("%w, or %s", err, word)
		}
		return nil
	}
	return o
}

// AsSecret returns o with its value hidden from errors, because it may contain a password.
func (o Option) AsSecret() Option {
	o.secret = true
	return o
}

// Docs returns the documentation of all options.
func (l List) Docs() []backend.Option {
	docs := make([]backend.Option, len(l))
	for i, o := range l {
		docs[i] = o.doc
	}
	return docs
}

// Read stores the given options in the variables. It returns one error that lists all faults, ordered by key.
func (l List) Read(given map[string]string) error {
	var faults []error
	for _, key := range slices.Sorted(maps.Keys(given)) {
		o, name, ok := l.findOption(key)
		if !ok {
			faults = append(faults, fmt.Errorf("unknown option %q; the known ones are %s", key, l.nameList()))
			continue
		}
		if err := o.read(name, given[key]); err != nil {
			faults = append(faults, fmt.Errorf("option %s: %w", o.displayText(key, given[key]), err))
		}
	}
	return errors.Join(faults...)
}

// Known reports whether the list accepts a key.
func (l List) Known(key string) bool {
	_, _, ok := l.findOption(key)
	return ok
}

// findOption returns the option of a key, preferring a whole name to a prefix. name is the part of the key after a
// prefix.
func (l List) findOption(key string) (o Option, name string, ok bool) {
	for _, o := range l {
		if !o.isPrefix && o.doc.Name == key {
			return o, "", true
		}
	}
	for _, o := range l {
		if rest, found := strings.CutPrefix(key, o.prefix); o.isPrefix && found && rest != "" {
			return o, rest, true
		}
	}
	return Option{}, "", false
}

// displayText returns an option and its value for errors.
func (o Option) displayText(key, value string) string {
	if o.secret {
		return key
	}
	return key + "=" + value
}

func (l List) nameList() string {
	names := make([]string, len(l))
	for i, o := range l {
		names[i] = o.doc.Name
	}
	return strings.Join(names, ", ")
}
