package prompts_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/serving/prompts"
)

// official contains the draws of MLPerf Endpoints' client (mlcommons/endpoints@ea332753, Python 3.12).
type official struct {
	Orders []struct {
		Order, Seed    string
		Samples, Draws int
		First          []int
		SHA256         string // checksum of all draws, separated by commas
	}
	Salts []struct {
		Seed            string
		Prompts, Salted []string
	}
}

func readOfficial(t *testing.T) (o official) {
	t.Helper()
	text, err := os.ReadFile("testdata/endpoints-draws.json")
	if err == nil {
		err = json.Unmarshal(text, &o)
	}
	if err != nil || len(o.Orders) == 0 || len(o.Salts) == 0 {
		t.Fatal(err, len(o.Orders))
	}
	return o
}

func rowsFile(t *testing.T, rows ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "rows.jsonl")
	if err := os.WriteFile(file, []byte(strings.Join(rows, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestOfficialOrders compares the order of rows with that of the official client.
func TestOfficialOrders(t *testing.T) {
	files := map[int]string{}
	for _, c := range readOfficial(t).Orders {
		if files[c.Samples] == "" {
			rows := make([]string, c.Samples)
			for i := range rows {
				rows[i] = fmt.Sprintf(`{"prompt": "p%d"}`, i)
			}
			files[c.Samples] = rowsFile(t, rows...)
		}
		set, err := prompts.ReadSet(prompts.PromptOptions{File: files[c.Samples], Order: c.Order, OrderSeed: c.Seed})
		if err != nil {
			t.Fatal(err)
		}
		drawn := set.Draw(prompts.DrawOptions{N: c.Draws, Skip: 5, Seed: 9})
		got, text := make([]int, drawn.Len()), make([]string, drawn.Len())
		for i := range got {
			a := drawn.At(i)
			if got[i], text[i] = a.Row, strconv.Itoa(a.Row); a.Text != "p"+text[i] {
				t.Fatalf("row %d asks %q", a.Row, a.Text)
			}
		}
		sum := sha256.Sum256([]byte(strings.Join(text, ",")))
		if !slices.Equal(got[:len(c.First)], c.First) || hex.EncodeToString(sum[:]) != c.SHA256 {
			t.Errorf("%s of %d by %s: %v, want %v", c.Order, c.Samples, c.Seed, got[:len(c.First)], c.First)
		}
	}
}

// TestOfficialSalts compares salts with those of the official client, for every API.
func TestOfficialSalts(t *testing.T) {
	for _, c := range readOfficial(t).Salts {
		rows := make([]string, len(c.Prompts))
		for i, p := range c.Prompts {
			row, _ := json.Marshal(map[string]string{"prompt": p, "system": "Be brief."})
			rows[i] = string(row)
		}
		for _, api := range []prompts.API{prompts.Chat, prompts.Completions, prompts.Responses} {
			_, asks := draw(t, prompts.PromptOptions{File: rowsFile(t, rows...), API: api, Order: "in-order", SaltSeed: c.Seed},
				prompts.DrawOptions{N: len(c.Salted)})
			for i, a := range asks {
				want, got := "Be brief.\n\n"+c.Salted[i], a.Text
				if a.Messages != nil {
					var m []struct{ Role, Content string }
					if err := json.Unmarshal(a.Messages, &m); err != nil || len(m) != 2 || m[1].Role != "user" {
						t.Fatalf("%v: %s", err, a.Messages)
					}
					got = m[0].Content + "\n\n" + m[1].Content
				}
				if got != want {
					t.Errorf("%s, seed %s: %q, want %q", api, c.Seed, got, want)
				}
			}
		}
	}
}

// TestSaltsStandBeforeTheUser checks that the first message of the user contains the salt, and that the warm-up has its
// own salts.
func TestSaltsStandBeforeTheUser(t *testing.T) {
	file := rowsFile(t, `{"messages": [{"role": "system", "content": "S"}, `+
		`{"role": "user", "name": "n", "content": "U"}, {"role": "assistant", "content": "A"}, `+
		`{"role": "user", "content": "V"}]}`,
		`{"messages": [{"role": "user", "content": [{"type": "text", "text": "<U>"}]}]}`)
	set, asks := draw(t, prompts.PromptOptions{File: file, Order: "in-order", SaltSeed: "7"}, prompts.DrawOptions{})
	want := []string{`[{"role": "system", "content": "S"},` +
		`{"content":"[38b4e652e44da7f2] U","name":"n","role":"user"},` +
		`{"role": "assistant", "content": "A"},{"role": "user", "content": "V"}]`,
		`[{"content":[{"text":"[370d9e260e271365] ","type":"text"},{"type":"text","text":"<U>"}],"role":"user"}]`}
	for i, a := range asks {
		if string(a.Messages) != want[i] {
			t.Errorf("%s, want\n%s", a.Messages, want[i])
		}
	}
	if warm := set.Draw(prompts.DrawOptions{WarmUp: true}).At(0); string(warm.Messages) == want[0] {
		t.Error("the warm-up has the point's salt")
	}
}

// TestSaltsOfIDs checks that the salt's tokens follow the first mark of the user's part in token ids.
func TestSaltsOfIDs(t *testing.T) {
	ids := toy{}.EncodePlain(nil, "sea the of the we")
	file := rowsFile(t, fmt.Sprintf(`{"text": "not sent", "input_tokens": %s}`, jsonOf(t, ids)))
	o := prompts.PromptOptions{File: file, Order: "in-order", SaltSeed: "7", SaltAfter: " the", PreferIDs: true,
		Tokenizer: toy{}}
	set, asks := draw(t, o, prompts.DrawOptions{})
	want := slices.Concat(ids[:2], toy{}.EncodePlain(nil, "[38b4e652e44da7f2] "), ids[2:])
	if a := asks[0]; a.API != prompts.Completions || !slices.Equal(a.IDs, want) || a.InputTokens != len(want) ||
		set.OfIDs() != 1 {
		t.Errorf("%+v, want %v", a, want)
	}
	o.PreferIDs, o.SaltAfter = false, ""
	if set, asks = draw(t, o, prompts.DrawOptions{}); !strings.HasSuffix(asks[0].Text, "] not sent") || set.OfIDs() != 0 {
		t.Errorf("%+v", asks[0])
	}
}

// TestOfficialRefuses checks the errors for rows without such an order or without a position for a salt.
func TestOfficialRefuses(t *testing.T) {
	ids := rowsFile(t, `{"prompt_token_ids": [1, 2]}`)
	text := rowsFile(t, `{"prompt": "a"}`)
	lengths := rowsFile(t, `{"input_length": 4}`)
	system := rowsFile(t, `{"messages": [{"role": "system", "content": "a"}]}`)
	for want, o := range map[string]prompts.PromptOptions{
		"does not say where the user's part begins": {File: ids, SaltSeed: "1"},
		"needs the model's tokenizer":               {File: ids, SaltSeed: "1", SaltAfter: "we"},
		`the token ids have no "we", which begins`:  {File: ids, SaltSeed: "1", SaltAfter: "we", Tokenizer: toy{}},
		`--order-seed "-1": want a whole number`:    {File: text, Order: "with-replacement", OrderSeed: "-1"},
		`--order "random": want one of shuffled`:    {File: text, Order: "random"},
		"--order-seed is of --order":                {File: text, OrderSeed: "1"},
		"--order in-order needs --data FILE":        {ISL: "4", Order: "in-order"},
		"--turns all has sessions":                  {File: text, Order: "with-replacement", Turns: "all"},
		"--salt-seed is for single requests":        {File: text, SaltSeed: "1", Turns: "all"},
		"--salt-seed needs --data FILE":             {ISL: "4", SaltSeed: "1"},
		"generated prompts have no salt":            {File: lengths, SaltSeed: "1", Vocabulary: "0..99"},
		"no message of the user's":                  {File: system, SaltSeed: "1"},
		"a salt is of chats and completions":        {File: text, API: prompts.Embeddings, SaltSeed: "1"},
	} {
		if _, err := prompts.ReadSet(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestTokensOfSets checks that input_tokens is a list of ids, as in the sets of MLPerf Endpoints, or a length.
func TestTokensOfSets(t *testing.T) {
	file := rowsFile(t, `{"input_tokens": [5, 6, 7], "question": "q", "ground_truth": "g", "dataset": "aime"}`)
	set, asks := draw(t, prompts.PromptOptions{File: file, API: prompts.Completions}, prompts.DrawOptions{})
	if set.API != prompts.Completions || len(asks) != 1 || !slices.Equal(asks[0].IDs, []int32{5, 6, 7}) {
		t.Errorf("%s %+v", set.API, asks)
	}
	file = rowsFile(t, `{"input_tokens": 3}`)
	_, asks = draw(t, prompts.PromptOptions{File: file, Vocabulary: "0..99"}, prompts.DrawOptions{})
	if len(asks) != 1 || len(asks[0].IDs) != 3 {
		t.Errorf("%+v", asks)
	}
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
