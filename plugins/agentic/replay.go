package agentic

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/accuracy/replay"
	"github.com/plumbline-ml/plumbline/datasets/conversations"
	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/exhibit"
	"github.com/plumbline-ml/plumbline/sdk/scoring"
)

// inlineScore is the name of the metric of a replay.
const inlineScore = "inline_score"

// replayScorer compares the answers with the recorded turns.
type replayScorer struct {
	turns        []conversations.ClientTurn
	recorded     map[turnKey]replay.RecordedTurn
	scorer       *replay.TurnScorer
	failedByType map[string]int // number of failed turns by type of error
	textAnswers  int            // number of answers without a call
}

type turnKey struct {
	conversation string
	clientTurn   int
}

func newReplayScorer(set *conversations.ConversationSet) *replayScorer {
	all := replay.RecordedTurns(set.Rows)
	s := &replayScorer{turns: set.Turns, recorded: map[turnKey]replay.RecordedTurn{}, scorer: replay.New(all),
		failedByType: map[string]int{}}
	for _, r := range all {
		s.recorded[turnKey{r.Conversation, r.Client}] = r
	}
	return s
}

// addTurn adds the answer to a turn.
func (s *replayScorer) addTurn(e mllog.AccuracyEntry) error {
	if e.QSLIndex >= uint64(len(s.turns)) {
		return fmt.Errorf("the answer to turn %d of %d: it is of other conversations", e.QSLIndex, len(s.turns))
	}
	turn := s.turns[e.QSLIndex]
	a, err := sdk.ParseTurn(e.Data)
	if err != nil {
		return err
	}
	request := strconv.FormatUint(e.SeqID, 10)
	s.scorer.IssueTurn(request, turn.Conversation, turn.Turn)
	if a.Error != nil {
		s.failedByType[a.Error.Type]++
		s.scorer.CompleteRequest(request, nil)
		return nil
	}
	if a.ToolCalls == nil {
		s.textAnswers++
	}
	s.scorer.CompleteRequest(request, &replay.ModelAnswer{Reasoning: a.Reasoning, Content: a.Output,
		Calls: decodeCalls(a)})
	return nil
}

// decodeCalls decodes the calls of an answer in the way that Python does. It returns nil if there are none.
func decodeCalls(a sdk.TurnAnswer) any {
	v, err := pyvalue.Decode(string(a.ToolCalls))
	if err != nil {
		return nil
	}
	return v
}

func (s *replayScorer) replayResult() (replay.ReplayScores, error) { return s.scorer.Result(), nil }

// scoreReplay returns the figures of the replay in the form of the reference's harness.
func (s *replayScorer) scoreReplay(r replay.ReplayScores, c scoring.Counts) (sdk.Score, error) {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return sdk.Score{}, err
	}
	value := 0.0
	if r.Score != nil {
		value = *r.Score
	}
	score := sdk.Score{
		Samples: r.Turns.Scored, Metrics: []sdk.Metric{{Name: inlineScore, Value: value}},
		OfficialText: fmt.Sprintf("%s=%v\n", inlineScore, value),
		Files:        []sdk.ScoreFile{{Name: "endpoints/scores.json", Data: append(text, '\n')}},
	}
	var n sdk.Notes
	n.AddCount(c.Missing(), "%d turns were never sent, and count in no figure of scores.json")
	for _, kind := range sortedKeys(s.failedByType) {
		n.Add("%d turns failed: %s", s.failedByType[kind], kind)
	}
	n.AddCount(s.textAnswers, "%d answers call no tool")
	score.Notes = n
	return score, nil
}

// turnGallery shows turns that differ from the recording.
type turnGallery struct{ *replayScorer }

// compareTurn returns a turn with its answer, and the programs called in the recording (want) and in the answer (got).
func (g turnGallery) compareTurn(e mllog.AccuracyEntry) (
	turn conversations.ClientTurn, want, got []string, a sdk.TurnAnswer, err error,
) {
	turn = g.turns[e.QSLIndex]
	a, err = sdk.ParseTurn(e.Data)
	return turn, replay.Actions(g.recorded[turnKey{turn.Conversation, turn.Turn}].Calls), replay.Actions(decodeCalls(a)),
		a, err
}

// rateTurn rates failed turns as the worst, then those that differ most.
func (g turnGallery) rateTurn(e mllog.AccuracyEntry) (badness float64, show exhibit.ShowFunc) {
	_, want, got, a, err := g.compareTurn(e)
	show = func() (sdk.Exhibit, error) { return g.showTurn(e) }
	switch {
	case err != nil:
		return 0, nil
	case a.Error != nil:
		return 2, show
	case len(want) == 0:
		return 0, nil
	}
	return 1 - replay.MultisetOverlap(want, got), show
}

// maxHistoryChars limits the characters of the messages before a turn.
const maxHistoryChars = 4000

// showTurn shows the messages before a turn, the recorded calls and the answer.
func (g turnGallery) showTurn(e mllog.AccuracyEntry) (sdk.Exhibit, error) {
	turn, want, got, a, err := g.compareTurn(e)
	var said []string
	for _, m := range turn.Messages {
		line := []string{m.Role + ":", m.Reasoning, m.Content}
		for _, c := range m.Calls {
			v, err := pyvalue.Decode(c)
			if err != nil {
				v = c
			}
			line = append(line, formatCall(v))
		}
		said = append(said, joinTexts(line...))
	}
	before := strings.Join(said, "\n")
	if n := len(before) - maxHistoryChars; n > 0 {
		before = "[...]" + strings.ToValidUTF8(before[n:], "")
	}
	answer := joinTexts(a.Reasoning, a.Output, formatCalls(decodeCalls(a)))
	if a.Error != nil {
		answer = a.Error.Type + ": " + a.Error.Message
	}
	recorded := formatCalls(g.recorded[turnKey{turn.Conversation, turn.Turn}].Calls)
	return sdk.Exhibit{
		Caption: fmt.Sprintf("%s, turn %d: programs %s, recorded %s", turn.Conversation, turn.Turn,
			cmp.Or(strings.Join(got, " "), "none"), strings.Join(want, " ")),
		Text: exhibit.Paragraphs("SAID", before, "RECORDED", recorded, "ANSWERED", answer),
	}, err
}

// joinTexts joins non-empty texts with spaces.
func joinTexts(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(t string) bool { return t == "" }), " ")
}

// formatCalls formats calls, one per line.
func formatCalls(all any) string {
	list, ok := all.([]any)
	if !ok {
		return ""
	}
	lines := make([]string, len(list))
	for i, c := range list {
		lines[i] = formatCall(c)
	}
	return strings.Join(lines, "\n")
}

// formatCall formats a call as its name and its arguments. Anything else is formatted as JSON.
func formatCall(call any) string {
	d, _ := call.(*pyvalue.Dict)
	inner, _ := d.Get("function")
	function, _ := inner.(*pyvalue.Dict)
	name, _ := function.Get("name")
	arguments, _ := function.Get("arguments")
	text, ok := name.(string)
	if !ok {
		return pyvalue.JSON(call)
	}
	given, ok := arguments.(string)
	if !ok {
		return text + " " + pyvalue.JSON(arguments)
	}
	if v, err := pyvalue.Decode(given); err == nil {
		given = pyvalue.JSON(v)
	}
	return text + " " + given
}
