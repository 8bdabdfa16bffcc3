package igbh

import (
	"fmt"
	"slices"

	"github.com/plumbline-ml/plumbline/datasets/graph"
)

// The node types, in the order of the model.
const (
	Author = iota
	Conference
	FieldOfStudy
	Institute
	Journal
	Paper
	typeCount
)

// TypeNames returns the names of the node types, in order.
func TypeNames() []string {
	return []string{"author", "conference", "fos", "institute", "journal", "paper"}
}

// NodeCounts contains the number of nodes of each type.
type NodeCounts [typeCount]int

// NodeTypes returns the node types of a graph with these counts.
func (c NodeCounts) NodeTypes() []graph.NodeType {
	all := make([]graph.NodeType, typeCount)
	for i, name := range TypeNames() {
		all[i] = graph.NodeType{Name: name, Nodes: c[i]}
	}
	return all
}

// toNodeCounts returns the numbers of nodes of the types, which must be those of IGBH.
func toNodeCounts(all []graph.NodeType) (c NodeCounts, err error) {
	found := make([]string, len(all))
	for i, t := range all {
		found[i] = t.Name
	}
	if want := TypeNames(); !slices.Equal(found, want) {
		return c, fmt.Errorf("features of the node types %v, want %v", found, want)
	}
	for i, t := range all {
		c[i] = t.Nodes
	}
	return c, nil
}

// The relations that a data set contains.
const (
	Affiliated = iota // author to institute
	Cites             // paper to paper
	Published         // paper to journal
	Topic             // paper to field of study
	Venue             // paper to conference
	Written           // paper to author
	storedCount
)

// storedRelation is a folder that contains the edges of a relation.
type storedRelation struct {
	folder              string
	source, destination int
}

func storedRelations() [storedCount]storedRelation {
	return [storedCount]storedRelation{
		Affiliated: {"author__affiliated_to__institute", Author, Institute},
		Cites:      {"paper__cites__paper", Paper, Paper},
		Published:  {"paper__published__journal", Paper, Journal},
		Topic:      {"paper__topic__fos", Paper, FieldOfStudy},
		Venue:      {"paper__venue__conference", Paper, Conference},
		Written:    {"paper__written_by__author", Paper, Author},
	}
}

// loadedRelation is a relation of the graph, with the stored relation from which it is made.
type loadedRelation struct {
	graph.Relation
	stored  int
	reverse bool
}

// loadedRelations returns the relations in the order of the model, which is DGL's sort order.
func loadedRelations() []loadedRelation {
	return []loadedRelation{
		{graph.Relation{Name: "author__affiliated_to__institute", Source: Author, Destination: Institute}, Affiliated, false},
		{graph.Relation{Name: "author__rev_written_by__paper", Source: Author, Destination: Paper}, Written, true},
		{graph.Relation{Name: "conference__rev_venue__paper", Source: Conference, Destination: Paper}, Venue, true},
		{graph.Relation{Name: "fos__rev_topic__paper", Source: FieldOfStudy, Destination: Paper}, Topic, true},
		{graph.Relation{Name: "institute__rev_affiliated_to__author", Source: Institute, Destination: Author}, Affiliated,
			true},
		{graph.Relation{Name: "journal__rev_published__paper", Source: Journal, Destination: Paper}, Published, true},
		{graph.Relation{Name: "paper__cites__paper", Source: Paper, Destination: Paper}, Cites, false},
		{graph.Relation{Name: "paper__published__journal", Source: Paper, Destination: Journal}, Published, false},
		{graph.Relation{Name: "paper__topic__fos", Source: Paper, Destination: FieldOfStudy}, Topic, false},
		{graph.Relation{Name: "paper__venue__conference", Source: Paper, Destination: Conference}, Venue, false},
		{graph.Relation{Name: "paper__written_by__author", Source: Paper, Destination: Author}, Written, false},
	}
}

// GraphRelations returns the relations of the loaded graph, in the order of the model.
func GraphRelations() []graph.Relation {
	relations := []graph.Relation{}
	for _, r := range loadedRelations() {
		relations = append(relations, r.Relation)
	}
	return relations
}

// Classes is the number of classes in node_label_2K.npy, the labels that the benchmark uses.
const Classes = 2983

// SizeNames returns the names of the sizes in ascending order.
func SizeNames() []string { return []string{"tiny", "small", "medium", "large", "full"} }

// isRawSize reports whether files of papers and authors have no header in this size.
func isRawSize(size string) bool { return size == "large" || size == "full" }

// labelledFull is the number of papers of the full data set that have a class. They are the first ones.
const labelledFull = 157_675_969

// labelledPapers returns the number of papers from which the split of a size is drawn.
func labelledPapers(size string, papers int) int {
	if size == "full" {
		return min(papers, labelledFull)
	}
	return papers
}

// isKnownSize reports whether size is one of SizeNames.
func isKnownSize(size string) bool { return slices.Contains(SizeNames(), size) }
