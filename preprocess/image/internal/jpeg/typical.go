package jpeg

import "encoding/hex"

// typicalTables contains the Huffman tables of T.81 annex K.3, by class and number: sixteen counts of codes by length,
// and then the symbols. Motion JPEG frames omit these tables.
var typicalTables = [2][2]string{
	{
		// Table K.3, luminance DC.
		"00010501010101010100000000000000000102030405060708090a0b",
		// Table K.4, chrominance DC.
		"00030101010101010101010000000000000102030405060708090a0b",
	},
	{
		// Table K.5, luminance AC.
		"0002010303020403050504040000017d01020300041105122131410613516107" +
			"227114328191a1082342b1c11552d1f02433627282090a161718191a25262728" +
			"292a3435363738393a434445464748494a535455565758595a63646566676869" +
			"6a737475767778797a838485868788898a92939495969798999aa2a3a4a5a6a7" +
			"a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae1e2" +
			"e3e4e5e6e7e8e9eaf1f2f3f4f5f6f7f8f9fa",
		// Table K.6, chrominance AC.
		"0002010204040304070504040001027700010203110405213106124151076171" +
			"1322328108144291a1b1c109233352f0156272d10a162434e125f11718191a26" +
			"2728292a35363738393a434445464748494a535455565758595a636465666768" +
			"696a737475767778797a82838485868788898a92939495969798999aa2a3a4a5" +
			"a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9da" +
			"e2e3e4e5e6e7e8e9eaf2f3f4f5f6f7f8f9fa",
	},
}

// useTypicalTable defines a table of annex K if the file does not define it.
func (d *Decoder) useTypicalTable(class, table int) error {
	if d.huffmanTable(class, table).defined || table >= len(typicalTables[class]) {
		return nil
	}
	spec, err := hex.DecodeString(typicalTables[class][table])
	if err != nil {
		return err
	}
	return d.huffmanTable(class, table).define(spec)
}
