package treeops

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// errNothing states that a change found nothing to change.
var errNothing = errors.New("nothing to change")

// textOps contains the changes of a file's text.
var textOps = map[string]func(text []byte, op Op) ([]byte, error){
	"append":      func(text []byte, op Op) ([]byte, error) { return append(text, *op.Text...), nil },
	"prepend":     func(text []byte, op Op) ([]byte, error) { return append([]byte(*op.Text), text...), nil },
	"replace":     replace,
	"line-set":    lineSet,
	"line-del":    lineDel,
	"json-set":    jsonSet,
	"json-del":    jsonDel,
	"log-set":     logSet,
	"log-del":     logDel,
	"log-flag":    logFlag,
	"log-add":     logAdd,
	"acc-set":     accSet,
	"acc-add":     accAdd,
	"acc-keep":    accKeep,
	"acc-reverse": accReverse,
}

func replace(text []byte, op Op) ([]byte, error) {
	if !bytes.Contains(text, []byte(op.Old)) {
		return nil, errNothing
	}
	n := -1
	if op.Count > 0 {
		n = op.Count
	}
	return bytes.Replace(text, []byte(op.Old), []byte(op.New), n), nil
}

func lineSet(text []byte, op Op) ([]byte, error) {
	return mapLines(text, op.All, func(line string) (string, bool, error) {
		if !strings.HasPrefix(line, op.Prefix) {
			return line, false, nil
		}
		return *op.Text + "\n", true, nil
	})
}

func lineDel(text []byte, op Op) ([]byte, error) {
	return mapLines(text, true, func(line string) (string, bool, error) {
		return "", strings.HasPrefix(line, op.Prefix), nil
	})
}

// mapLines replaces the first line, or all lines, that change changes. It passes each line with its end.
func mapLines(text []byte, all bool, change func(line string) (string, bool, error)) ([]byte, error) {
	var out strings.Builder
	found := false
	for line := range strings.Lines(string(text)) {
		if !found || all {
			changed, did, err := change(line)
			if err != nil {
				return nil, err
			}
			if did {
				found, line = true, changed
			}
		}
		out.WriteString(line)
	}
	if !found {
		return nil, errNothing
	}
	return []byte(out.String()), nil
}

func jsonSet(text []byte, op Op) ([]byte, error) {
	return jsonEdit(text, op.At, func(m object, name string) (object, error) { return m.set(name, op.Value), nil })
}

func jsonDel(text []byte, op Op) ([]byte, error) {
	return jsonEdit(text, op.At, func(m object, name string) (object, error) {
		if m.find(name) < 0 {
			return nil, errNothing
		}
		return m.del(name), nil
	})
}

func jsonEdit(text []byte, at json.RawMessage, change func(object, string) (object, error)) ([]byte, error) {
	var pointer string
	if err := json.Unmarshal(at, &pointer); err != nil {
		return nil, err
	}
	names := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i, name := range names {
		names[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
	}
	raw, err := editObject(text, names, change)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = json.Indent(&out, raw, "", "  ")
	return out.Bytes(), err
}

// logMark is the prefix of each record of a detail log.
const logMark = ":::MLLOG "

// eachRecord changes the first record of the key, or all its records.
func eachRecord(text []byte, op Op, change func(raw []byte) ([]byte, error)) ([]byte, error) {
	key, err := json.Marshal(op.Key)
	if err != nil {
		return nil, err
	}
	head := logMark + `{"key": ` + string(key) + `,`
	return mapLines(text, op.All, func(line string) (string, bool, error) {
		if !strings.HasPrefix(line, head) {
			return line, false, nil
		}
		raw, err := change([]byte(strings.TrimPrefix(line, logMark)))
		if raw == nil || err != nil {
			return "", true, err
		}
		return logMark + string(raw) + "\n", true, nil
	})
}

func logSet(text []byte, op Op) ([]byte, error) {
	return eachRecord(text, op, func(raw []byte) ([]byte, error) {
		return editObject(raw, []string{"value"}, setTo(op.Value))
	})
}

func logDel(text []byte, op Op) ([]byte, error) {
	op.All = true
	return eachRecord(text, op, func([]byte) ([]byte, error) { return nil, nil })
}

func logFlag(text []byte, op Op) ([]byte, error) {
	return eachRecord(text, op, func(raw []byte) ([]byte, error) {
		return editObject(raw, []string{"metadata", op.Flag}, setTo(op.Value))
	})
}

func logAdd(text []byte, op Op) ([]byte, error) {
	if n := len(text); n > 0 && text[n-1] != '\n' {
		text = append(text, '\n')
	}
	return fmt.Appendf(text, logMark+`{"key": %q, "value": %s, "time_ms": 0.000000, "namespace": "mlperf::logging", `+
		`"event_type": "POINT_IN_TIME", "metadata": {"is_error": %t, "is_warning": %t, "file": "made.cc", `+
		`"line_no": 1, "pid": 1, "tid": 1}}`+"\n", op.Key, op.Value, op.IsError, op.IsWarning), nil
}
