package main

import (
	"regexp"
	"slices"
	"strings"
)

// logPlace contains the facts about a run that the path of its log shows.
type logPlace struct {
	model    string // name of the folder, in lower case
	audit    string // "TEST01", ...; empty: a run of the result
	accuracy bool   // an accuracy run
	// interactive states that the folder's scenario is Interactive, which logs call Server.
	interactive bool
}

var (
	auditFolder    = regexp.MustCompile(`(?i)^test_?0?(\d)-?([ab]?)$`)
	scenarioFolder = regexp.MustCompile(`(?i)^(single-?stream|multi-?stream|server|offline|interactive)$`)
)

// placeOf parses the path of a detail log of the closed division: DIVISION/SUBMITTER/KIND/SYSTEM/MODEL/SCENARIO/..., or
// without SYSTEM. ok is false for other paths.
func placeOf(path string) (p logPlace, ok bool) {
	parts := strings.Split(path, "/")
	at := slices.IndexFunc(parts, scenarioFolder.MatchString)
	if parts[0] != "closed" || at < 4 || at == len(parts)-1 {
		return p, false
	}
	p.model = strings.ToLower(parts[at-1])
	p.interactive = strings.EqualFold(parts[at], "interactive")
	for _, part := range parts[at+1:] {
		if m := auditFolder.FindStringSubmatch(part); m != nil { // including test_4b of v0.5
			p.audit = "TEST0" + m[1]
			if m[2] != "" {
				p.audit += "-" + strings.ToUpper(m[2])
			}
		}
		p.accuracy = p.accuracy || strings.EqualFold(part, "accuracy")
	}
	return p, true
}
