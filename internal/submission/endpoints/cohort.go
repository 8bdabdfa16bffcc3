package endpoints

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
)

// Cohort is a publication date. Each month has two.
type Cohort struct{ Year, Month, Index int }

var cohortForm = regexp.MustCompile(`^(\d{4})-(\d{2})-C([01])$`)

// ParseCohort parses a cohort such as "2026-10-C1". ok is false if the text has another form or names an invalid month.
func ParseCohort(text string) (c Cohort, ok bool) {
	m := cohortForm.FindStringSubmatch(text)
	if m == nil {
		return Cohort{}, false
	}
	c.Year, _ = strconv.Atoi(m[1])
	c.Month, _ = strconv.Atoi(m[2])
	c.Index, _ = strconv.Atoi(m[3])
	return c, c.Month >= 1 && c.Month <= 12
}

// IsCohortForm reports whether a text has the form of a cohort with any month.
func IsCohortForm(text string) bool { return cohortForm.MatchString(text) }

func (c Cohort) String() string { return fmt.Sprintf("%04d-%02d-C%d", c.Year, c.Month, c.Index) }

// Later returns the cohort n cohorts later.
func (c Cohort) Later(n int) Cohort {
	at := (c.Year*12+c.Month-1)*2 + c.Index + n
	return Cohort{at / 24, at/2%12 + 1, at % 2}
}

// Compare returns a negative number if c is before o.
func (c Cohort) Compare(o Cohort) int {
	return cmp.Or(cmp.Compare(c.Year, o.Year), cmp.Compare(c.Month, o.Month), cmp.Compare(c.Index, o.Index))
}

// AdoptionCohorts returns the cohorts in which a new submission may adopt the round's seed sets.
func (r *Rules) AdoptionCohorts() []string {
	first, _ := ParseCohort(r.SeedCohort)
	all := make([]string, r.SeedCohorts)
	for i := range all {
		all[i] = first.Later(i).String()
	}
	return all
}
