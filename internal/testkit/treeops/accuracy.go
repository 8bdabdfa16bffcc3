package treeops

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
)

// editEntries parses an accuracy log, changes its entries and writes them in LoadGen's form, one per line.
func editEntries(text []byte, change func([]object) ([]object, error)) ([]byte, error) {
	var raws []json.RawMessage
	if err := json.Unmarshal(text, &raws); err != nil {
		return nil, err
	}
	list := make([]object, len(raws))
	for i, raw := range raws {
		var err error
		if list[i], err = parseObject(raw); err != nil {
			return nil, err
		}
	}
	list, err := change(list)
	if err != nil {
		return nil, err
	}
	return accuracyLog(list), nil
}

func accuracyLog(list []object) []byte {
	out := bytes.NewBufferString("[\n")
	for i, o := range list {
		inner := o.text(", ", " : ")
		fmt.Fprintf(out, "{ %s }", inner[1:len(inner)-1])
		if i < len(list)-1 {
			out.WriteByte(',')
		}
		out.WriteByte('\n')
	}
	out.WriteString("]\n")
	return out.Bytes()
}

func accSet(text []byte, op Op) ([]byte, error) {
	return editEntries(text, func(list []object) ([]object, error) {
		var out []object
		done := false
		for _, o := range list {
			if done && !op.All || !o.hasIndex(op.QSLIndex) {
				out = append(out, o)
				continue
			}
			done = true
			if op.Drop {
				continue
			}
			changed, err := changeEntry(o, op)
			if err != nil {
				return nil, err
			}
			out = append(out, changed)
		}
		if !done {
			return nil, errNothing
		}
		return out, nil
	})
}

func (o object) hasIndex(index uint64) bool {
	at := o.find("qsl_idx")
	return at >= 0 && string(o[at].raw) == strconv.FormatUint(index, 10)
}

func changeEntry(o object, op Op) (object, error) {
	if op.Set != nil {
		fields, err := parseObject(op.Set)
		if err != nil {
			return nil, err
		}
		for _, f := range fields {
			o = o.set(f.name, f.raw)
		}
	}
	if op.Del == nil {
		return o, nil
	}
	var names []string
	if err := json.Unmarshal(op.Del, &names); err != nil {
		names = make([]string, 1)
		if err := json.Unmarshal(op.Del, &names[0]); err != nil {
			return nil, err
		}
	}
	for _, name := range names {
		o = o.del(name)
	}
	return o, nil
}

func accAdd(text []byte, op Op) ([]byte, error) {
	return editEntries(text, func(list []object) ([]object, error) {
		o, err := parseObject(op.Entry)
		if err != nil {
			return nil, err
		}
		at := len(list)
		if op.At != nil {
			if err := json.Unmarshal(op.At, &at); err != nil {
				return nil, err
			}
		}
		return slices.Insert(list, at, o), nil
	})
}

func accKeep(text []byte, op Op) ([]byte, error) {
	return editEntries(text, func(list []object) ([]object, error) { return list[:min(op.N, len(list))], nil })
}

func accReverse(text []byte, _ Op) ([]byte, error) {
	return editEntries(text, func(list []object) ([]object, error) {
		slices.Reverse(list)
		return list, nil
	})
}

// accMake writes an accuracy log of n entries, each with one 32-bit word.
func accMake(dir string, op Op) error {
	var list []object
	for i := range op.N {
		n := json.RawMessage(strconv.Itoa(i))
		word := fmt.Appendf(nil, `"%08X"`, uint32(i)*2654435761)
		list = append(list, object{{"seq_id", n}, {"qsl_idx", n}, {"data", word}})
	}
	return writeFile(filepath.Join(dir, op.Path), accuracyLog(list))
}
