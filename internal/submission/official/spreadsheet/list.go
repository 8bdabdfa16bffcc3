package spreadsheet

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
)

// sheetRows returns the rows of a sheet: those of a division and a suite with its scenarios, with or without power. A
// system with both types is in both suites.
func (f *dataFrame) sheetRows(category, suite string, power bool, table map[string][]string) []map[string]any {
	var rows []map[string]any
	for _, row := range f.rows {
		if row["Category"] != category || !strings.Contains(pyvalue.Text(row["Suite"]), suite) {
			continue
		}
		units := pyvalue.Text(row["Units"])
		isPower := units == "Watts" || units == "millijoules" || units == "millijoules/Stream"
		if power && row["has_power"] != true || !power && isPower {
			continue
		}
		known, ok := table[pyvalue.Text(row["Model"])]
		if !ok || slices.Contains(known, pyvalue.Text(row["Scenario"])) {
			rows = append(rows, row)
		}
	}
	return rows
}

// listRecords returns rows for the web page, with the number first and plain links instead of formulas.
func (f *dataFrame) listRecords(rows []map[string]any) []*pyvalue.Dict {
	var list []*pyvalue.Dict
	for _, row := range rows {
		d := pyvalue.NewDict()
		d.Set("ID", row["ID"])
		for _, name := range f.columns {
			v := row[name]
			switch x := v.(type) {
			case float64:
				v = roundTenDecimals(x)
			case string:
				if name == "Details" || name == "Code" {
					_, link, _ := strings.Cut(x, `("`)
					link, _, _ = strings.Cut(link, `",`)
					v = link
				}
			}
			d.Set(name, v)
		}
		list = append(list, d)
	}
	return list
}

// roundTenDecimals rounds to ten decimals, like the official list.
func roundTenDecimals(v float64) float64 {
	if math.Abs(v) >= 1e16 || math.IsNaN(v) {
		return v
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'f', 10, 64), 64)
	return rounded
}

// mergeResults sorts the list, removes repeated results, and merges each result with its power.
func mergeResults(list []*pyvalue.Dict) any {
	slices.SortStableFunc(list, func(a, b *pyvalue.Dict) int {
		return slices.Compare(sortKey(a), sortKey(b))
	})
	list = slices.CompactFunc(list, func(a, b *pyvalue.Dict) bool { return slices.Equal(sortKey(a), sortKey(b)) })
	out := []any{}
	for i := 0; i < len(list); i++ {
		if i+1 < len(list) && slices.Equal(sortKey(list[i])[:3], sortKey(list[i+1])[:3]) {
			out = append(out, mergePower(list[i], list[i+1]))
			i++
			continue
		}
		out = append(out, withoutPower(list[i]))
	}
	return out
}

func sortKey(d *pyvalue.Dict) []string {
	return []string{textField(d, "ID"), textField(d, "UsedModel"), textField(d, "Scenario"), textField(d, "Units")}
}

func textField(d *pyvalue.Dict, key string) string {
	v, _ := d.Get(key)
	return pyvalue.Text(v)
}

// mergePower merges a result and its power in either order.
func mergePower(a, b *pyvalue.Dict) *pyvalue.Dict {
	d := withoutKeys(a, "Result", "Units")
	if units := textField(a, "Units"); strings.Contains(units, "Watts") || strings.Contains(units, "joules") {
		copyResult(d, "Performance", b)
		copyResult(d, "Power", a)
		return d
	}
	copyResult(d, "Power", b)
	copyResult(d, "Performance", a)
	return d
}

// withoutPower returns a result without power. A result of zero keeps its field names.
func withoutPower(a *pyvalue.Dict) *pyvalue.Dict {
	if v, _ := a.Get("Result"); !pyvalue.IsTrue(v) {
		return a
	}
	d := withoutKeys(a, "Result", "Units")
	copyResult(d, "Performance", a)
	return d
}

func copyResult(d *pyvalue.Dict, kind string, from *pyvalue.Dict) {
	for _, name := range []string{"Result", "Units"} {
		v, _ := from.Get(name)
		d.Set(kind+"_"+name, v)
	}
}

func withoutKeys(d *pyvalue.Dict, keys ...string) *pyvalue.Dict {
	out := pyvalue.NewDict()
	for _, key := range d.Keys() {
		if !slices.Contains(keys, key) {
			v, _ := d.Get(key)
			out.Set(key, v)
		}
	}
	return out
}
