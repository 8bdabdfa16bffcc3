package loadgen

// notes are the findings about a test, once it is judged.
func (t *test) notes() []Note {
	var list []Note
	if why := t.hopeless.Load(); why != nil {
		text := "It was clear before the end that the run could only end INVALID: " + *why + "."
		list = append(list, Note{About: "hopeless", Text: text})
	}
	if len(t.paused) > len(t.result.Pauses) { // else a reason says so
		text := pausesText(t.paused) + "; the answers count, their times do not."
		list = append(list, Note{About: "standstill", Text: text})
	}
	if text := t.e.Scenario.kind().lateIssue(&t.result); text != "" {
		list = append(list, Note{About: "issue_delay", Text: text})
	}
	return list
}
