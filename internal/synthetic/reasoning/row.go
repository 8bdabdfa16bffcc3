package reasoning

import "github.com/plumbline-ml/plumbline/internal/draw"

// Kind is a kind of question.
type Kind int

// The kinds, in their order in a mixed set.
const (
	AIME Kind = iota
	Math
	GPQA
	MMLUPro
	LiveCodeBench
)

// Row is a question of a data set with its worked answer.
type Row struct {
	Kind     Kind
	Dataset  string // official name of the set that it replaces
	Question string
	Thought  string // reasoning that leads to the answer
	Answer   string // answer in the form that the benchmarks' graders find
	Truth    string // ground_truth: an integer, LaTeX, a letter, or the problem's question_id
	Problem  *Problem
}

// writeRow draws a row of a kind. id is the id of its problem, if it has one.
func (k Kind) writeRow(r *draw.Random, id string) Row {
	var row Row
	switch k {
	case AIME:
		row = writeContest(r)
	case Math:
		row = writeMathematics(r)
	case GPQA:
		row = writeFacts(r)
	case MMLUPro:
		row = writeTenOptions(r)
	default:
		row = writeProgram(r, id)
	}
	row.Kind = k
	return row
}

func drawOne[T any](list []T, r *draw.Random) T { return list[r.IntBelow(len(list))] }
