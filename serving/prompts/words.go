package prompts

import "strings"

// words contains common words. Most tokenizers encode each of them as one token.
var words = strings.Fields(`
able above across act add age ago air all also always and animal answer any apple area arm art ask away baby
back bad bag ball bank base bear beat bed bell best big bird bit black block blue board boat body book born
both box boy bread break bring brown build burn bus busy buy cake call came camp can cap car card care carry
case cat catch chair chance check child city class clean clear climb clock close cloud coat cold color come
cook cool copy corn cost count cover cow cross cry cup cut dance dark day deep desk dog door down draw dream
dress drink drive drop dry each ear early earth east easy eat edge egg eight end engine even ever eye face
fact fall family far farm fast fat father feel feet few field fight fill find fine fire first fish five flat
floor flow fly follow food foot form four free fresh friend front fruit full fun game garden gas gate gave get
girl give glad glass go gold good grass gray great green ground group grow guess gun hair half hall hand happy
hard hat head hear heart heat heavy help here high hill hit hold hole home hope horse hot hour house how
hundred hunt ice idea inch iron island job join jump just keep key kill kind king knew lady lake land large
last late laugh law lay lead leaf learn least leave left leg less let letter lie life lift light like line lip
list little live long look lost lot loud love low luck machine made main make man many map mark market master
may mean meat meet milk mind mine minute miss money month moon more most mother mouth move much music must
name near neck need never new next nice night nine noise north nose note nothing now number ocean off offer
office often oil old once one only open or order other our out over own page paint pair paper part party pass
past pay people person pick picture piece place plan plane plant play please point pool poor post pound power
press price print pull push put queen question quick quiet quite race rain ran reach read ready real red rest
rich ride right ring rise river road rock roll room rope rose round row rule run safe sail salt same sand save
say school sea seat second see seed seem sell send sense set seven shade shape share sharp ship shirt shoe
shop short shout show side sign silver simple since sing sister sit six size skin sky sleep slow small smell
smile snow soft soil some son song soon sound south space speak speed spell spend spoke spot spread spring
square stand star start state stay steel step stick still stone stop store story street strong such sugar suit
sum summer sun sure swim table tail take talk tall taste teach team tell ten test than thank that there thick
thin thing think this those thought three through tie time tiny to today together tone too tool top touch
toward town track trade train travel tree trip true try turn two under unit until up use valley value very
view visit voice wait walk wall want war warm wash watch water wave way wear weather week weight well went
west wet what wheel when where while white why wide wife wild will win wind window wing winter wire wish with
woman wood word work world worn write wrong yard year yellow yes yet you young
`)
