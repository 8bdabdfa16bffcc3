package drive

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/plumbline-ml/plumbline/accuracy/replay"
	"github.com/plumbline-ml/plumbline/backends/openai"
	"github.com/plumbline-ml/plumbline/datasets/conversations"
	"github.com/plumbline-ml/plumbline/internal/mt19937"
	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/internal/serving/client"
	"github.com/plumbline-ml/plumbline/internal/serving/engine"
	files "github.com/plumbline-ml/plumbline/internal/serving/formats/endpoints"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/serving"
	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/metrics"
	"github.com/plumbline-ml/plumbline/serving/prompts"
)

// turnTimeout is the timeout of a turn in a run's configuration.
const turnTimeout = 24 * time.Hour

// CheckTrajectories lists the differences of an agentic model's file of trajectories from the official one, one per
// line. It returns an error if the file cannot be replayed.
func CheckTrajectories(file, model string, rules *endpoints.Rules) (lines []string, err error) {
	set, err := conversations.Open(file)
	if err != nil {
		return nil, err
	}
	if n, want := len(trajectoriesOf(set)), rules.PerformanceSets[model]; n != want {
		lines = append(lines, fmt.Sprintf("%s has %d trajectories, and the official set of %s has %d", file, n, model, want))
	}
	return lines, checkSystemTexts(set)
}

// checkSystemTexts returns an error for the first conversation without a system text, to which the salt is added.
func checkSystemTexts(set *conversations.ConversationSet) error {
	for _, t := range set.Turns {
		if systemIndex(t.Messages) < 0 {
			return fmt.Errorf("conversation %s has no text of the system, around which its salt would stand", t.Conversation)
		}
	}
	return nil
}

// systemIndex returns the index of the system message with a text; -1: none.
func systemIndex(messages []conversations.ChatMessage) int {
	for i, m := range messages {
		if m.Role == "system" && !m.NoContent {
			return i
		}
	}
	return -1
}

// trajectory is a conversation: its turns [first, last) in a set.
type trajectory struct{ first, last int }

// trajectoriesOf returns the conversations of a set in order.
func trajectoriesOf(set *conversations.ConversationSet) (all []trajectory) {
	for i, t := range set.Turns {
		if n := len(all); n > 0 && set.Turns[all[n-1].first].Conversation == t.Conversation {
			all[n-1].last = i + 1
			continue
		}
		all = append(all, trajectory{i, i + 1})
	}
	return all
}

// trajectoryAsks contains the turns of trajectories over several rounds. Each round has its own salts.
type trajectoryAsks struct {
	set          *conversations.ConversationSet
	turnIndices  []int      // index of each turn in its trajectory, from 0
	trajectories []int      // trajectory of each turn
	salts        [][]string // by round and trajectory
	params       prompts.PromptOptions
}

// newTrajectoryAsks returns the turns for the given number of rounds. It draws the salts with Python's generator from
// seed.
func newTrajectoryAsks(set *conversations.ConversationSet, rounds int, seed uint64, o prompts.PromptOptions,
) *trajectoryAsks {
	a := &trajectoryAsks{set: set, params: o}
	all := trajectoriesOf(set)
	for n, t := range all {
		for i := t.first; i < t.last; i++ {
			a.turnIndices, a.trajectories = append(a.turnIndices, i-t.first), append(a.trajectories, n)
		}
	}
	random := mt19937.NewPythonWide(seed)
	for range rounds {
		salts := make([]string, len(all))
		for i := range salts {
			var b [prompts.SaltBytes]byte
			random.Bytes(b[:])
			salts[i] = hex.EncodeToString(b[:])
		}
		a.salts = append(a.salts, salts)
	}
	return a
}

// Len implements engine.Asks.
func (a *trajectoryAsks) Len() int { return len(a.salts) * len(a.set.Turns) }

// sessionHeader names the trajectory of a request. Routers use it to send all requests of a trajectory to the same
// server.
const sessionHeader = "X-Session-ID"

// PlaceOf returns a turn without its prompt.
func (a *trajectoryAsks) PlaceOf(i int) prompts.Ask {
	round, row := i/len(a.set.Turns), i%len(a.set.Turns)
	t := &a.set.Turns[row]
	ask := prompts.Ask{API: prompts.Chat, Row: row, Turn: a.turnIndices[row], Session: t.Conversation}
	if round > 0 {
		ask.Session += "__repeat_" + strconv.Itoa(round+1)
	}
	if ask.Turn > 0 {
		ask.Think = time.Duration(t.Delay * float64(time.Second))
	}
	return ask
}

// At implements engine.Asks.
func (a *trajectoryAsks) At(i int) prompts.Ask {
	ask := a.PlaceOf(i)
	t := &a.set.Turns[ask.Row]
	messages := make([]backend.ChatMessage, len(t.Messages))
	for i, message := range t.Messages {
		messages[i] = chatMessageOf(message)
	}
	if at := systemIndex(t.Messages); at >= 0 {
		salt := a.salts[i/len(a.set.Turns)][a.trajectories[ask.Row]]
		messages[at].Content = "[salt: " + salt + "]\n\n" + messages[at].Content
	}
	chat := backend.AppendChat(nil, backend.Prompt{Messages: messages})
	ask.Messages = json.RawMessage(strings.TrimPrefix(string(chat), `"messages":`))
	if t.Tools != "" {
		ask.Tools = json.RawMessage(t.Tools)
	}
	ask.Header = map[string]string{sessionHeader: ask.Session}
	ask.MaxTokens, ask.Fields = a.params.MaxTokens, map[string]json.RawMessage{}
	for key, value := range parseFields(a.params.Body) {
		ask.Fields[key] = json.RawMessage(value)
	}
	for key, value := range t.Fields {
		text := json.RawMessage(pyvalue.JSON(value))
		switch key {
		case "model", "stream": // a curve has one model, and its answers are always streamed
		case "max_new_tokens", "max_completion_tokens":
			_ = json.Unmarshal(text, &ask.MaxTokens) // an invalid number leaves the benchmark's value
		default:
			ask.Fields[key] = text
		}
	}
	return ask
}

// chatMessageOf converts a recorded message to the form in which it is sent.
func chatMessageOf(m conversations.ChatMessage) backend.ChatMessage {
	to := backend.ChatMessage{Role: m.Role, Content: m.Content, NoContent: m.NoContent, Name: m.Name,
		Reasoning: m.Reasoning, CallID: m.CallID}
	for _, call := range m.Calls {
		to.Calls = append(to.Calls, backend.ToolCall{Raw: json.RawMessage(call)})
	}
	return to
}

// turnScorer scores the answers to turns on arrival. Many goroutines may call its methods.
type turnScorer struct {
	mu     sync.Mutex
	set    *conversations.ConversationSet
	scorer *replay.TurnScorer
}

// scoreAnswer scores the answer to a turn. It ignores warm-up requests, which have no session.
func (s *turnScorer) scoreAnswer(r *metrics.Request, a client.ReceivedAnswer) {
	if r.Session == "" || r.WarmUp || r.Status == metrics.Cancelled {
		return
	}
	var answer *replay.ModelAnswer
	if r.Status == metrics.OK {
		answer = &replay.ModelAnswer{Reasoning: string(a.Reasoning), Content: string(a.Content)}
		if calls, err := pyvalue.Decode(string(backend.AppendCalls(nil, a.Calls))); err == nil && len(a.Calls) > 0 {
			answer.Calls = calls
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	request := r.Session + "#" + strconv.Itoa(r.Turn)
	s.scorer.IssueTurn(request, r.Session, s.set.Turns[r.Row].Turn)
	s.scorer.CompleteRequest(request, answer)
}

// maxRounds is the maximum number of prepared rounds of trajectories. If they are too few, they are repeated in a new
// order.
const maxRounds = 1000

// measureAgentic makes the performance run of an agentic point. Its users replay the trajectories. Each turn is sent
// when the previous answer has ended and the recorded tool time has passed. The answers are scored.
func (o *OwnClient) measureAgentic(ctx context.Context, wire *openai.Client, j PointJob) (PerformanceRun, error) {
	set, err := conversations.Open(o.Prompts.File)
	if err == nil {
		err = checkSystemTexts(set)
	}
	if err != nil {
		return PerformanceRun{}, sdk.Data(err)
	}
	load := arrival.Pattern{Kind: arrival.Users, Users: j.Point.Concurrency, Sessions: true, Seed: j.Seeds.Scheduler}
	inline := &turnScorer{set: set, scorer: replay.New(replay.RecordedTurns(set.Rows))}
	words := prompts.PromptOptions{API: prompts.Chat, ISL: warmUpISL, OSL: warmUpOSL, Seed: warmUpSeed,
		Body: o.Prompts.Body}
	s, err := serving.OpenSession(wire, serving.Plan{Connection: o.Connection, Prompts: words, Tokenizer: o.Tokenizer,
		Loads: []arrival.Pattern{load}, Base: load, WholeWindow: true, Received: inline.scoreAnswer})
	if err != nil {
		return PerformanceRun{}, err
	}
	if err := s.AskFirst(ctx, o.noteOnce); err != nil {
		return PerformanceRun{}, err
	}
	p := &ownPoint{own: o, job: j, session: s, load: load, passSize: len(set.Turns), passUnits: len(trajectoriesOf(set)),
		inline: inline}
	rounds := max(j.Point.Passes, min(maxRounds, maxPlaces/4/p.passSize))
	p.asks = newTrajectoryAsks(set, rounds, j.Seeds.Model, o.Prompts)
	p.warmUp = s.Set.Draw(prompts.DrawOptions{N: engine.DefaultWarmUps(load), Seed: warmUpSeed})
	return p.measurePoint(ctx)
}

// agenticRun returns the data on a point's replay for its files.
func (p *ownPoint) agenticRun(m PerformanceRun) (*files.Agentic, error) {
	if p.inline == nil {
		return nil, nil
	}
	scores := p.inline.scorer.Result()
	text, err := json.MarshalIndent(scores, "", "  ")
	if err != nil {
		return nil, err
	}
	a := &files.Agentic{Conversations: p.passUnits, Timeout: turnTimeout, Turns: p.passSize, Salt: true, ToolDelay: true,
		MinDuration: time.Duration(p.job.MinSeconds * float64(time.Second)), DataSeed: p.job.Seeds.SampleIndex,
		Rounds: max(1, m.Issued/p.passSize), Scores: append(text, '\n')}
	if scores.Score != nil {
		a.Score = *scores.Score
	}
	return a, nil
}
