package treeops

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// object is a JSON object whose members keep their order and their text.
type object []member

type member struct {
	name string
	raw  json.RawMessage
}

// editObject changes the object that contains the last of names. The preceding names lead to it from raw.
func editObject(raw []byte, names []string, change func(object, string) (object, error)) ([]byte, error) {
	o, err := parseObject(raw)
	if err != nil {
		return nil, err
	}
	if len(names) == 1 {
		o, err = change(o, names[0])
		return o.text(", ", ": "), err
	}
	at := o.find(names[0])
	if at < 0 {
		return nil, fmt.Errorf("no member %q", names[0])
	}
	inner, err := editObject(o[at].raw, names[1:], change)
	return o.set(names[0], inner).text(", ", ": "), err
}

func setTo(value json.RawMessage) func(object, string) (object, error) {
	return func(o object, name string) (object, error) { return o.set(name, value), nil }
}

func parseObject(raw []byte) (object, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, fmt.Errorf("want an object, found %v: %w", t, err)
	}
	o := object{}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		m := member{name: fmt.Sprint(name)}
		if err := d.Decode(&m.raw); err != nil {
			return nil, err
		}
		o = append(o, m)
	}
	_, err := d.Token()
	return o, err
}

func (o object) find(name string) int {
	for i, m := range o {
		if m.name == name {
			return i
		}
	}
	return -1
}

func (o object) set(name string, raw json.RawMessage) object {
	if at := o.find(name); at >= 0 {
		o[at].raw = raw
		return o
	}
	return append(o, member{name, raw})
}

func (o object) del(name string) object {
	if at := o.find(name); at >= 0 {
		return append(o[:at], o[at+1:]...)
	}
	return o
}

// text writes the object with the given separators between members and after names.
func (o object) text(between, behind string) []byte {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			out.WriteString(between)
		}
		name, _ := json.Marshal(m.name) // a string can always be encoded
		out.Write(name)
		out.WriteString(behind)
		out.Write(m.raw)
	}
	out.WriteByte('}')
	return out.Bytes()
}
