package replay

import (
	"cmp"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/internal/pyvalue"
)

// RecordedTurn is the recorded answer to one turn of the client. Answers are compared with it.
type RecordedTurn struct {
	Conversation string
	Client       int // number of the client's turn, from 1
	Assistant    int // number of the answer's turn
	Calls        any // tool_calls of the answer: a list in the format of servers
	Intents      any // intent_codes of the answer: a list of texts; only in conversations named sim_ and a number
}

// ModelAnswer is a model's answer to a turn.
type ModelAnswer struct {
	Reasoning, Content string
	Calls              any // tool_calls: a list in the format of servers
}

// clientTurn is a turn of the client in one repetition of a conversation.
type clientTurn struct {
	conversation string
	repeat       int
	client       int
}

func compareTurns(a, b clientTurn) int {
	return cmp.Or(cmp.Compare(a.conversation, b.conversation), cmp.Compare(a.repeat, b.repeat),
		cmp.Compare(a.client, b.client))
}

// TurnScorer compares the answers to issued turns.
type TurnScorer struct {
	recorded map[clientTurn]RecordedTurn // with repeat 0
	issued   map[string]clientTurn       // by request
	answers  map[string]*ModelAnswer
}

// New returns a scorer.
func New(all []RecordedTurn) *TurnScorer {
	s := &TurnScorer{recorded: map[clientTurn]RecordedTurn{}, issued: map[string]clientTurn{},
		answers: map[string]*ModelAnswer{}}
	for _, r := range all {
		s.recorded[clientTurn{r.Conversation, 0, r.Client}] = r
	}
	return s
}

// IssueTurn records that a turn was sent. Names of repeated conversations end in __repeat_ and a number. It ignores
// turns without a recorded answer.
func (s *TurnScorer) IssueTurn(request, conversation string, client int) {
	name, number, found := splitRepeat(conversation)
	if !found {
		name, number = conversation, 1
	}
	if _, ok := s.recorded[clientTurn{name, 0, client}]; ok {
		s.issued[request] = clientTurn{name, number, client}
	}
}

func splitRepeat(conversation string) (name string, number int, ok bool) {
	i := strings.LastIndex(conversation, "__repeat_")
	if i < 0 {
		return "", 0, false
	}
	number, err := strconv.Atoi(conversation[i+len("__repeat_"):])
	return conversation[:i], number, err == nil && number >= 0
}

// CompleteRequest records the result of a request: an answer, or nil if the request failed. If it is called several
// times, the last answer counts. It may be called before IssueTurn.
func (s *TurnScorer) CompleteRequest(request string, a *ModelAnswer) {
	if _, ok := s.answers[request]; a != nil || !ok {
		s.answers[request] = a
	}
}

// TurnScore is the outcome of one issued turn.
type TurnScore struct {
	Conversation string      `json:"conversation_id"`
	Repeat       int         `json:"repeat"`
	Turn         int         `json:"turn"`
	Domain       string      `json:"domain"` // "coding" or "workflow"
	Missing      bool        `json:"missing,omitempty"`
	WantActions  []string    `json:"gt_actions,omitzero"`
	Actions      []string    `json:"model_actions,omitzero"`
	WantIntents  []string    `json:"gt_intents,omitzero"`
	Intent       *IntentCode `json:"model_intent,omitempty"`
	Score        float64     `json:"score"` // 0 to 1, with four decimals
}

// IntentCode is the code of an intent. The empty code is null in JSON.
type IntentCode string

// MarshalJSON returns the code as JSON.
func (c IntentCode) MarshalJSON() ([]byte, error) {
	if c == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(c))
}

// TurnCounts contains numbers of turns.
type TurnCounts struct {
	Issued   int `json:"issued"`
	Expected int `json:"expected"` // issued turns that can be scored
	Observed int `json:"observed"` // expected turns with an answer
	Missing  int `json:"missing"`
	Scored   int `json:"scored"`
}

// DomainScore is the score of one domain of conversations.
type DomainScore struct {
	Score  float64 `json:"score"` // 0 to 1, with four decimals
	Scored int     `json:"scored"`
}

// ExcludedTurn is a turn whose recorded answer cannot be compared with others.
type ExcludedTurn struct {
	Conversation string `json:"conversation_id"`
	Turn         int    `json:"turn"`
	Domain       string `json:"domain"`
	Reason       string `json:"exclude_reason"`
}

// ReplayScores is the content of scores.json. Its counts exclude turns that were never issued.
type ReplayScores struct {
	Score    *float64               `json:"score"` // mean over the turns, 0 to 1, with four decimals; nil without turns
	Turns    TurnCounts             `json:"turns"`
	Domains  map[string]DomainScore `json:"domains"`
	PerTurn  []TurnScore            `json:"per_turn"`
	Excluded []ExcludedTurn         `json:"excluded_turns,omitempty"`
}

var workflowName = regexp.MustCompile(`\Asim_\p{Nd}+\n?\z`)

func domainOf(conversation string) string {
	if workflowName.MatchString(conversation) {
		return "workflow"
	}
	return "coding"
}

// Result returns the scores of the turns recorded so far.
func (s *TurnScorer) Result() ReplayScores {
	r := ReplayScores{Domains: map[string]DomainScore{}, PerTurn: []TurnScore{}}
	scorable := map[clientTurn]bool{}
	for _, key := range slices.SortedFunc(maps.Keys(s.recorded), compareTurns) {
		want := s.recorded[key]
		if domain := domainOf(want.Conversation); len(Actions(want.Calls)) > 0 && domain == "coding" ||
			len(sortedIntents(want.Intents)) > 0 && domain == "workflow" {
			scorable[key] = true
		} else {
			r.Excluded = append(r.Excluded, ExcludedTurn{want.Conversation, want.Assistant, domain, "no ground truth"})
		}
	}
	answers := map[clientTurn]*ModelAnswer{}
	for request, key := range s.issued {
		if a := s.answers[request]; a != nil || answers[key] == nil {
			answers[key] = a
		}
	}
	r.Turns.Issued = len(answers)
	sums := map[string]float64{}
	total := 0.0
	for _, key := range slices.SortedFunc(maps.Keys(answers), compareTurns) {
		recorded := clientTurn{key.conversation, 0, key.client}
		if !scorable[recorded] {
			continue
		}
		t, score := s.compareTurn(key, s.recorded[recorded], answers[key])
		r.PerTurn = append(r.PerTurn, t)
		total += score
		sums[t.Domain] += score
		d := r.Domains[t.Domain]
		d.Scored++
		r.Domains[t.Domain] = d
		r.Turns.Expected++
		if answers[key] != nil {
			r.Turns.Observed++
		}
	}
	r.Turns.Scored = r.Turns.Expected
	r.Turns.Missing = r.Turns.Expected - r.Turns.Observed
	for name, d := range r.Domains {
		d.Score = pyfloat.Round(sums[name]/float64(d.Scored), 4)
		r.Domains[name] = d
	}
	if n := r.Turns.Scored; n > 0 {
		mean := pyfloat.Round(total/float64(n), 4)
		r.Score = &mean
	}
	return r
}

// compareTurn scores a turn by its intent, or by the overlap between the programs that the two answers call.
func (s *TurnScorer) compareTurn(key clientTurn, want RecordedTurn, a *ModelAnswer) (t TurnScore, score float64) {
	t = TurnScore{Conversation: key.conversation, Repeat: key.repeat, Turn: want.Assistant,
		Domain:  domainOf(key.conversation),
		Missing: a == nil}
	if a == nil {
		a = &ModelAnswer{}
	}
	if t.Domain == "workflow" {
		intent := Intent(a.Reasoning, a.Content)
		t.WantIntents, t.Intent = sortedIntents(want.Intents), (*IntentCode)(&intent)
		if slices.Contains(t.WantIntents, intent) {
			score = 1
		}
	} else {
		t.WantActions, t.Actions = Actions(want.Calls), append([]string{}, Actions(a.Calls)...)
		score = MultisetOverlap(t.WantActions, t.Actions)
	}
	t.Score = pyfloat.Round(score, 4)
	return t, score
}

// sortedIntents returns the distinct codes of a list, sorted.
func sortedIntents(codes any) (all []string) {
	list, _ := codes.([]any)
	for _, code := range list {
		if text, ok := code.(string); ok && text != "" {
			all = append(all, strings.ToUpper(text))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// MultisetOverlap returns the size of the intersection of two multisets divided by the size of their union.
func MultisetOverlap(a, b []string) float64 {
	counts := map[string][2]int{}
	for i, list := range [][]string{a, b} {
		for _, name := range list {
			c := counts[name]
			c[i]++
			counts[name] = c
		}
	}
	both, either := 0, 0
	for _, c := range counts {
		both += min(c[0], c[1])
		either += max(c[0], c[1])
	}
	return float64(both) / float64(either)
}

// RecordedTurns returns the answers of a recording: the rows that follow a row of a user or of a tool. Rows are JSON
// objects in the order of their turns.
func RecordedTurns(rows []*pyvalue.Dict) (all []RecordedTurn) {
	conversations := map[string][]*pyvalue.Dict{}
	for _, row := range rows {
		if id, ok := row.Get("conversation_id"); ok && id != nil {
			conversations[pyvalue.Text(id)] = append(conversations[pyvalue.Text(id)], row)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(conversations)) {
		rows := conversations[id]
		slices.SortStableFunc(rows, func(a, b *pyvalue.Dict) int { return cmp.Compare(turnNumber(a), turnNumber(b)) })
		for i := range len(rows) - 1 {
			role, _ := rows[i].Get("role")
			if next, _ := rows[i+1].Get("role"); role != any("user") && role != any("tool") || next != any("assistant") {
				continue
			}
			r := RecordedTurn{Conversation: id, Client: turnNumber(rows[i]), Assistant: turnNumber(rows[i+1])}
			r.Calls, _ = rows[i+1].Get("tool_calls")
			r.Intents, _ = rows[i+1].Get("intent_codes")
			all = append(all, r)
		}
	}
	return all
}

func turnNumber(row *pyvalue.Dict) int {
	v, _ := row.Get("turn")
	n, err := pyvalue.Int(v)
	if err != nil {
		return 0
	}
	return int(n.Int64())
}
