package punkt

import "strings"

// abbreviations contains common abbreviations of English prose and news.
const abbreviations = `a.d a.k.a a.m adj adm adv apr assn assoc aug ave b.c b.c.e bldg blvd brig bros c.e c.o.d ca
capt cf ch cmdr co col cong conn corp cpl d.c dec del dept det dist dr e.g ed eds eq esp esq est etc exec ext feb fed
fig fla fr fri ft ga gen gov hon hwy i.e ill inc ind insp jan jr jul jun kan ky l.a lt ltd m.d maj mar mass messrs mgr
mich minn miss mo mon mr mrs ms msgr mt n.c n.d n.h n.j n.m n.y neb nev no nos nov oct okla ont ore p.m p.s pa ph.d pp
pres prof pt pvt r.i rd ref rep reps rev s.c s.d sat sec sen sens sep sept sgt sr st sun supt tel tenn thu thur thurs
tue tues u.k u.n u.s u.s.a univ v va viz vol vols vs vt wash wed wis wyo yr`

// English returns English abbreviations without orthography and collocations. They differ from nltk's parameters, so
// sentences, and with them ROUGE-Lsum and lengths in characters, may differ slightly from those of the official
// scorers.
func English() Parameters {
	p := Parameters{Abbreviations: map[string]bool{}}
	for _, word := range strings.Fields(abbreviations) {
		p.Abbreviations[word] = true
	}
	return p
}
