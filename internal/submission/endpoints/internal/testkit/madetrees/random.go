package madetrees

import (
	"encoding/json"
	"maps"
	"math/big"
	"math/rand/v2"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
)

// oddValues are replacements for a value.
var oddValues = []string{`null`, `true`, `false`, `0`, `1`, `-1`, `7`, `32`, `33`, `600`, `1.0`, `1.5`, `1e9`, `0.98`,
	`"x"`, `""`, `"12"`, `" 12 "`, `"1_000"`, `"yes"`, `"no"`, `[]`, `[1]`, `["x"]`, `{}`, `{"x": 1}`, `NaN`, `Infinity`,
	`"standardized"`, `"rdi"`, `"serviced"`, `"dedicated"`, `"elected"`, `"performance"`, `"accuracy"`, `"windowable"`,
	`"insufficient_passes"`, `"STEADY STATE"`, `"anomaly"`, `"low_latency"`, `"med_concurrency"`, `"2026-10-C1"`,
	`"2026-12-C1"`, `"mlc_default"`, `"vendor_spec"`, `"liquid"`, `"air"`, `"node_scaling"`, `10487924139932647040`}

// oddTexts are replacements for a whole file.
var oddTexts = []string{"", "null", "{}", "[]", "x", "a: 1\na: 2\n", "{\"a\": NaN}", "a:\n\t- 1\n", "x: yes\ny: 030\n"}

// Random draws a few changes of a base.
func RandomChanges(t testing.TB, base fstest.MapFS, random *rand.Rand) (ops []Change) {
	t.Helper()
	tree := base
	for n := 1 + random.IntN(4); len(ops) < n && len(tree) > 0; {
		more := drawChange(t, tree, random)
		tree = ChangedTree(t, tree, more)
		ops = append(ops, more...)
	}
	return ops
}

// draw draws one change: of a file or folder as a whole, or of one value, at one point or at several points of its
// curve.
func drawChange(t testing.TB, tree fstest.MapFS, random *rand.Rand) []Change {
	t.Helper()
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(tree)), func(name string) bool {
		return !strings.HasPrefix(name, "sub/results/") && random.IntN(4) > 0
	})
	if len(names) == 0 { // results/ has been removed and no other file was drawn
		return nil
	}
	name := names[random.IntN(len(names))]
	file := strings.TrimPrefix(name, "sub/")
	dir := path.Dir(file)
	switch random.IntN(24) {
	case 0:
		return []Change{{Op: "remove", File: file}}
	case 1:
		return []Change{{Op: "remove", File: dir}}
	case 2:
		value, _ := json.Marshal(oddTexts[random.IntN(len(oddTexts))])
		return []Change{{Op: "text", File: file, Value: value}}
	case 3:
		return []Change{{Op: "rename", File: file, To: path.Join(dir, strings.ToUpper(path.Base(file)))}}
	case 4:
		to := path.Join(path.Dir(dir), "r"+strconv.Itoa(1+random.IntN(700)))
		if _, there := tree[path.Join("sub", to, path.Base(file))]; there || to == dir {
			return nil
		}
		return []Change{{Op: "rename", File: dir, To: to}}
	}
	op, ok := drawValue(tree[name].Data, file, random)
	if !ok {
		return nil
	}
	return append([]Change{op}, drawOthers(tree, names, name, op, random)...)
}

// drawOthers draws whether to repeat the change of a file at other points of its curve: at none, or at the first ones
// in order and all later ones.
func drawOthers(tree fstest.MapFS, names []string, name string, op Change, random *rand.Rand) (ops []Change) {
	for _, other := range names {
		if random.IntN(3) > 0 && len(ops) == 0 {
			break // no other point
		}
		beside := path.Base(other) == path.Base(name) && path.Dir(path.Dir(other)) == path.Dir(path.Dir(name))
		if beside && other != name && hasValue(tree[other].Data, other, op.Path) {
			ops = append(ops, Change{Op: op.Op, File: strings.TrimPrefix(other, "sub/"), Path: op.Path, Value: op.Value})
		}
	}
	return ops
}

// drawValue draws a change of one value in a file.
func drawValue(text []byte, file string, random *rand.Rand) (op Change, ok bool) {
	switch path.Ext(file) {
	case ".json", ".yaml":
	default:
		return op, false
	}
	v, err := decodeFile(file, text)
	if err != nil {
		return op, false
	}
	for {
		var inner any
		switch w := v.(type) {
		case *pyvalue.Dict:
			if len(w.Keys()) == 0 {
				return op, false
			}
			key := w.Keys()[random.IntN(len(w.Keys()))]
			inner, _ = w.Get(key)
			op.Path = append(op.Path, key)
		case []any:
			if len(w) == 0 {
				return op, false
			}
			i := random.IntN(len(w))
			inner = w[i]
			op.Path = append(op.Path, float64(i))
		default:
			return op, false
		}
		v = inner
		if isContainer(v) && random.IntN(6) > 0 {
			continue
		}
		break
	}
	op.Op, op.File = "set", file
	if random.IntN(5) == 0 {
		op.Op = "delete"
		return op, true
	}
	op.Value = json.RawMessage(drawReplacement(v, random))
	return op, true
}

// isContainer reports whether a value contains other values.
func isContainer(v any) bool {
	switch v := v.(type) {
	case *pyvalue.Dict:
		return len(v.Keys()) > 0
	case []any:
		return len(v) > 0
	}
	return false
}

// drawReplacement draws a replacement for a value. The replacement of a number is often close to it.
func drawReplacement(v any, random *rand.Rand) string {
	factors := []float64{-1, 0.5, 0.9, 0.97, 0.995, 1.005, 1.03, 1.1, 2, 10}
	factor := factors[random.IntN(len(factors))]
	near := random.IntN(3) > 0
	if n, isBig := v.(*big.Int); isBig && n.IsInt64() { // from YAML
		v = n.Int64()
	}
	switch v := v.(type) {
	case int64:
		if near {
			return strconv.FormatInt(int64(float64(v)*factor), 10)
		}
	case float64:
		if near {
			return pyvalue.JSON(v * factor)
		}
	}
	return oddValues[random.IntN(len(oddValues))]
}

// hasValue reports whether a file contains a value at a path.
func hasValue(text []byte, file string, at []any) bool {
	v, err := decodeFile(file, text)
	if err != nil {
		return false
	}
	for _, step := range at {
		switch w := v.(type) {
		case *pyvalue.Dict:
			key, isKey := step.(string)
			inner, there := w.Get(key)
			if !isKey || !there {
				return false
			}
			v = inner
		case []any:
			i, isIndex := step.(float64)
			if !isIndex || int(i) >= len(w) {
				return false
			}
			v = w[int(i)]
		default:
			return false
		}
	}
	return true
}
