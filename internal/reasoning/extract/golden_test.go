package extract

import (
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

type goldenCase struct {
	ID, Text string

	ChoiceD  *string `json:"choice_d"`
	ChoiceJ  *string `json:"choice_j"`
	Boxed    *string
	AIME     *int
	Code     *string
	Final    string
	HarmonyD *string `json:"h_choice_d"`
	HarmonyJ *string `json:"h_choice_j"`
	HCode    *string `json:"h_code"`
}

func TestGolden(t *testing.T) {
	golden.Each(t, "reasoning/extract/cases.jsonl*", func(t *testing.T, path string) {
		for _, c := range golden.ReadLines[goldenCase](t, path) {
			c.check(t)
		}
	})
}

func (c goldenCase) check(t *testing.T) {
	t.Helper()
	same := func(name string, want *string, got string, ok bool) {
		t.Helper()
		if ok != (want != nil) || ok && got != *want {
			t.Errorf("%s: %s of %q: %q, %v", c.ID, name, c.Text, got, ok)
		}
	}
	check := func(name string, want *string, l ChosenLetter) {
		t.Helper()
		same(name, want, l.Text, l.Text != "")
	}
	check("choice A-D", c.ChoiceD, Choice(c.Text, 'D'))
	check("choice A-J", c.ChoiceJ, Choice(c.Text, 'J'))
	check("harmony choice A-D", c.HarmonyD, HarmonyChoice(c.Text, 'D'))
	check("harmony choice A-J", c.HarmonyJ, HarmonyChoice(c.Text, 'J'))
	box, ok := Boxed(c.Text)
	same("boxed", c.Boxed, box, ok)
	code, ok := Program(c.Text)
	same("program", c.Code, code, ok)
	code, ok = HarmonyProgram(c.Text)
	same("harmony program", c.HCode, code, ok)
	final, _ := Final(c.Text)
	same("final section", &c.Final, final, true)
	if n, ok := Integer(c.Text); ok != (c.AIME != nil) || ok && n != *c.AIME {
		t.Errorf("%s: integer of %q: %d, %v", c.ID, c.Text, n, ok)
	}
}
