package scoring

import (
	"errors"
	"fmt"
)

// Mean is the result of scoring answers one by one.
type Mean struct {
	Sum   float64 // sum of the points of all answers
	Total int     // number of answers
}

// Percent returns the mean of the points as a percentage.
func (m Mean) Percent() float64 { return 100 * m.Sum / float64(m.Total) }

// Each returns a metric that uses a function to give points to one answer: points returns 1 for a right answer to
// sample i, 0 for a wrong one, or a value between. If it returns an error, scoring stops, like in official scripts. If
// the error wraps ErrDamaged, the answer gets no points. If a sample has several answers, the first one counts. An
// answer to a sample outside the data set, or a log without answers, is an error.
func Each(samples int, points func(i int, answer []byte) (float64, error)) AnswerMetric[Mean] {
	return &eachMetric{points: points, done: make([]bool, samples)}
}

type eachMetric struct {
	points func(i int, answer []byte) (float64, error)
	done   []bool
	mean   Mean
}

func (m *eachMetric) Add(sample uint64, answer []byte) error {
	if sample >= uint64(len(m.done)) {
		return fmt.Errorf("the log has an answer to sample %d, want one below %d; is it of another data set?", sample,
			len(m.done))
	}
	points, err := m.points(int(sample), answer)
	if err != nil && !errors.Is(err, ErrDamaged) {
		return fmt.Errorf("the answer to sample %d: %w", sample, err)
	}
	if !m.done[sample] {
		m.done[sample] = true
		m.mean.Total++
		m.mean.Sum += points
	}
	return err
}

func (m *eachMetric) Result() (Mean, error) {
	if m.mean.Total == 0 {
		return Mean{}, errors.New("the log has no answer; was the run made in accuracy mode?")
	}
	return m.mean, nil
}
