package prompts

import (
	"slices"
	"strconv"
)

// turnTexts contains the texts of a session's row other than its question.
type turnTexts struct {
	answer          string
	hasAnswer       bool
	includesHistory bool // its messages include the earlier turns
}

// groupSessions groups the turns of each session.
func (r *rowReader) groupSessions(s *PromptSet) {
	if !r.options.sessions {
		s.forgetSessions()
		return
	}
	order := map[string]int{}
	place := make([]int, len(s.rows))
	for i, row := range s.rows {
		if row.ask == nil || row.ask.Session == "" {
			place[i] = len(order)
			order["\x00"+strconv.Itoa(i)] = len(order)
			continue
		}
		at, known := order[row.ask.Session]
		if !known {
			at = len(order)
			order[row.ask.Session] = at
		}
		place[i] = at
	}
	index := make([]int, len(s.rows))
	for i := range index {
		index[i] = i
	}
	slices.SortStableFunc(index, func(a, b int) int { return place[a] - place[b] })
	rows := make([]promptRow, len(s.rows))
	for to, from := range index {
		rows[to] = s.rows[from]
		if to == 0 || place[from] != place[index[to-1]] {
			s.units = append(s.units, int32(to))
		}
	}
	s.units = append(s.units, int32(len(rows)))
	s.rows = rows
	spoken := make([]turnTexts, len(rows))
	for to, from := range index {
		spoken[to] = r.turnTexts[int32(from)]
	}
	for u := range len(s.units) - 1 {
		r.linkTurns(rows[s.units[u]:s.units[u+1]], spoken[s.units[u]:s.units[u+1]])
	}
}

// forgetSessions makes each turn a single row.
func (s *PromptSet) forgetSessions() {
	some := false
	for i := range s.rows {
		if a := s.rows[i].ask; a != nil && a.Session != "" {
			some = true
			a.Session = ""
		}
	}
	if some {
		s.addNotef("the data have sessions: --turns all asks their turns one after the other")
	}
}

// linkTurns numbers the turns of a session whose turns are lines, and sets the messages before each turn.
func (r *rowReader) linkTurns(session []promptRow, said []turnTexts) {
	if session[0].ask == nil || len(r.turnTexts) == 0 {
		return
	}
	var h ChatHistory
	for i := range session {
		a := session[i].ask
		if a.Turn = i; a.Model == "" {
			a.Model = session[0].ask.Model // the cache of another adapter is of no use
		}
		if i > 0 {
			session[i].hasDue, session[i].due = false, 0
		}
		if !r.prependsHistory(said[i], session[i]) {
			continue
		}
		if a.Own = true; r.options.own {
			continue
		}
		had := len(h.messages)
		*a = h.NextTurn(*a)
		if r.keptBytes += int64(len(a.Messages) + len(h.messages) - had); r.noteFull(int(session[i].line)) {
			return
		}
		if a.Own = false; i+1 == len(session) {
			continue
		}
		if !said[i].hasAnswer && !said[i+1].includesHistory {
			r.addFaultf(int(session[i+1].line), "session %q has no answer in line %d for this turn to follow: want a column "+
				"answer, "+
				"or --history own", a.Session, session[i].line)
			return
		}
		had = len(h.messages)
		h.AddAnswer(said[i].answer)
		r.keptBytes += int64(len(h.messages) - had)
	}
}

// prependsHistory reports whether the earlier turns must precede a turn.
func (r *rowReader) prependsHistory(said turnTexts, turn promptRow) bool {
	chats := r.api == Chat || r.api == Responses
	return chats && !(said.includesHistory && !r.options.own) && turn.in <= 0
}
