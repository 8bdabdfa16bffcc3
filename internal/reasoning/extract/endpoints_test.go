package extract

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"
)

// TestEndpointsExtractors compares with MLPerf Endpoints' client (mlcommons/endpoints@ea332753, Python 3.12) on texts
// made of the pieces that its expressions match.
func TestEndpointsExtractors(t *testing.T) {
	name := "testdata/endpoints.jsonl"
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	choices := map[string]string{"": "", "choice1": "A", "choice2": "B", "choice3": "C", "choice4": "D"}
	lines, found := bufio.NewScanner(file), 0
	for lines.Scan() {
		var c struct {
			Text, Choice   string
			Boxed, Program *string
		}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		if got := MarkedChoice(c.Text); got != choices[c.Choice] {
			t.Errorf("%q: %q, want %q", c.Text, got, choices[c.Choice])
		}
		for what, of := range map[string]struct {
			extract func(string) (string, bool)
			want    *string
		}{"box": {LastBoxed, c.Boxed}, "program": {LastProgram, c.Program}} {
			got, ok := of.extract(c.Text)
			if ok != (of.want != nil) || ok && got != *of.want {
				t.Errorf("%s of %q: %q, %t", what, c.Text, got, ok)
			}
		}
		if c.Choice != "" {
			found++
		}
	}
	if err := lines.Err(); err != nil || found < 100 {
		t.Errorf("%d answers announce a letter: %v", found, err)
	}
}
