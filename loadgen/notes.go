package loadgen

// notes are the findings about a test, once it is judged.
func (t *test) notes() []Note {
	var list []Note
	if why := t.hopeless.Load(); why != nil {
		list = append(list, Note{About: "hopeless", Text: "It was clear before the end that the run could only end INVALID: " + *why + "."})
	}
	if len(t.paused) > len(t.result.Pauses) { // else a reason says so
		list = append(list, Note{About: "standstill", Text: pausesText(t.paused) + "; the answers count, their times do not."})
	}
	if text := t.e.Scenario.kind().lateIssue(&t.result); text != "" {
		list = append(list, Note{About: "issue_delay", Text: text})
	}
	return list
}
