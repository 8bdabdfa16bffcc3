package check

import (
	"strings"
	"testing"
)

func FuzzParseObject(f *testing.F) {
	for _, seed := range []string{`{"a": 1, "a": [2]}`, "\xef\xbb\xbf{}", "[]", `{"a": {}} x`, "{"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		o, err := parseObject(text)
		if err == nil && o.fields == nil {
			t.Errorf("%q: neither an object nor an error", text)
		}
		for _, v := range o.fields {
			isEmptyValue(v)
			if len(quoteValue(v)) > 80 {
				t.Errorf("%q: shown at length", text)
			}
		}
	})
}

func FuzzAccuracyText(f *testing.F) {
	f.Add("accuracy=76.460%, good=1, total=50000\nhash=ab\n", "acc")
	f.Add("{'rouge1': '38.7', 'gen_len': 12}", "ROUGE1")
	f.Fuzz(func(t *testing.T, text, metric string) {
		lines := strings.Split(text, "\n")
		list, bad := accuracyValues(metric, lines)
		if len(list)+len(bad) > len(lines) {
			t.Errorf("%q: %d values in %d lines", text, len(list)+len(bad), len(lines))
		}
		verdictNumbers(lines)
		hashOf(lines)
		firstNoSetting(text)
	})
}

func FuzzAccuracyLogForm(f *testing.F) {
	f.Add([]byte("[\n{ \"seq_id\" : 0, \"qsl_idx\" : 7, \"data\" : \"00\" }\n]\n"))
	f.Add([]byte("[\n{ \"seq_id\" : 0, \"qs\n\n...\n\n\"00\" }\n]\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if whole, err := accuracyLogForm(text); whole && err == nil && len(text) == 0 {
			t.Error("nothing is a log")
		}
	})
}
