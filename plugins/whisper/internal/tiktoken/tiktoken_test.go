package tiktoken

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// special is the first id of Whisper's vocabularies that is no text.
const special = 50257

// TestGoldenWhisperTokens decodes what the reference's tokenizer encoded and decoded; special tokens are left out, as
// callers do.
func TestGoldenWhisperTokens(t *testing.T) {
	golden.Each(t, "preprocess/whisper_tokens/cases.json", func(t *testing.T, path string) {
		var cases struct {
			Encode []struct {
				Text string
				IDs  []int32
			}
			Decode []struct {
				IDs  []int32
				Text string `json:"text_no_special"`
			}
		}
		golden.ReadJSON(t, path, &cases)
		data, err := os.ReadFile(filepath.Join(filepath.Dir(path), "multilingual.tiktoken"))
		if err != nil {
			t.Fatal(err)
		}
		v, err := Parse(data)
		if err != nil || v.Size() != special {
			t.Fatalf("%d tokens, want %d: %v", v.Size(), special, err)
		}
		check := func(i int, ids []int32, want string) {
			var text []int32
			for _, id := range ids {
				if id < special {
					text = append(text, id)
				}
			}
			if got, err := v.Decode(text); err != nil || got != want {
				t.Errorf("case %d: %q, %v; want %q", i, got, err, want)
			}
		}
		for i, c := range cases.Encode {
			check(i, c.IDs, c.Text)
		}
		for i, c := range cases.Decode {
			check(i, c.IDs, c.Text)
		}
		if len(cases.Encode) == 0 || len(cases.Decode) == 0 {
			t.Error("no cases")
		}
	})
}

func TestDecode(t *testing.T) {
	v, err := Parse([]byte("Yg== 1\r\nYQ== 0\n\n= 2\n4pzigg== 3\n"))
	if err != nil || v.Size() != 4 {
		t.Fatalf("%d tokens, %v", v.Size(), err)
	}
	if got, err := v.Decode([]int32{0, 2, 1, 3, 0}); err != nil || got != "ab\ufffd\ufffda" {
		t.Errorf("%q, %v", got, err)
	}
	for _, id := range []int32{-1, 4} {
		if _, err := v.Decode([]int32{0, id}); !errors.Is(err, ErrID) || !strings.Contains(err.Error(), "at place 1") {
			t.Errorf("id %d: error %v", id, err)
		}
	}
}

func TestWrongFiles(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"empty":       {"\n\n", "it is empty"},
		"no id":       {"YQ==\n", "want a token in base64, a blank and its id"},
		"no number":   {"YQ== x\n", "below the number of entries, 1"},
		"negative":    {"YQ== -1\n", "below the number of entries, 1"},
		"gap":         {"YQ== 0\nYg== 2\n", "below the number of entries, 2"},
		"twice":       {"YQ== 0\nYg== 0\n", "entry 1 has the same id"},
		"no base64":   {"Y*== 0\n", "no base64"},
		"a JSON file": {`{"a": 0}`, "below the number of entries"},
		"many":        {strings.Repeat("x\n", 9), "and 4 more entries"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Parse([]byte(c.text)); !errors.Is(err, ErrFile) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("YQ== 0\n= 1\n"), int32(1))
	f.Add([]byte("YQ== 1\r\nYg== 0"), int32(0))
	f.Fuzz(func(t *testing.T, data []byte, id int32) {
		v, err := Parse(data)
		if err != nil {
			return
		}
		if _, err := v.Decode([]int32{id}); (err == nil) != (id >= 0 && int(id) < v.Size()) {
			t.Errorf("id %d of %d: %v", id, v.Size(), err)
		}
	})
}
