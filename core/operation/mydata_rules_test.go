package operation

import (
	"strings"
	"testing"
)

// TestMyData_RulesFire breaks each rule in a document that is right otherwise.
func TestMyData_RulesFire(t *testing.T) {
	const goods, exempt, withheld, abroad = "01-goods", "08-exempt", "14-withholding", "06-intra-community"
	myDataFormat.rulesFire(t, []brokenRule{
		{"202", goods, []string{"<vatNumber>123456783", "<vatNumber>123456784"}, true},
		{"203", goods, []string{"<totalGrossValue>1372.50", "<totalGrossValue>1372.51"}, false},
		{"204", exempt, []string{"<counterpart>", "<!--", "</counterpart>", "-->"}, false},
		{"204", "16-delivery-note", []string{"<movePurpose>1</movePurpose>", ""}, false},
		{"207", goods, []string{"<netValue>125.00", "<netValue>125.01"}, false},
		{"209", goods, []string{"<vatAmount>7.50", "<vatAmount>7.51"}, false},
		{"210", withheld, []string{"<totalWithheldAmount>200.00", "<totalWithheldAmount>201.00"}, false},
		{"211", "10-foreign-currency", []string{"<exchangeRate>1.0842</exchangeRate>", ""}, false},
		{"212", goods, []string{"<aa>1", "<aa>X1"}, false},
		{"217", exempt, []string{"<vatExemptionCategory>7</vatExemptionCategory>", ""}, false},
		{"218", exempt, []string{"<vatAmount>0.00", "<vatAmount>1.00"}, false},
		{"219", goods, []string{"<branch>2</branch>", "<branch>2</branch><name>ΑΕ</name>"}, false},
		{"220", exempt, []string{"<branch>0</branch><address>", "<branch>0</branch><name>ΑΕ</name><address>"}, false},
		{"224", withheld, []string{"<invoiceSummary>", "<taxesTotals><taxes><taxType>2</taxType><taxAmount>0.00</taxAmount></taxes></taxesTotals><invoiceSummary>"}, false},
		{"225", withheld, []string{"<withheldPercentCategory>3</withheldPercentCategory>", ""}, false},
		{"226", withheld, []string{"<totalStampDutyAmount>12.00", "<totalStampDutyAmount>11.00"}, false},
		{"227", withheld, []string{"<withheldAmount>200.00</withheldAmount>", ""}, false},
		{"229", withheld, []string{"<stampDutyAmount>12.00", "<stampDutyAmount>13.00", "<totalStampDutyAmount>12.00", "<totalStampDutyAmount>13.00",
			"<totalGrossValue>1052.00", "<totalGrossValue>1053.00"}, true},
		{"235", exempt, []string{"<vatNumber>987654324", "<vatNumber>123456783"}, false},
		{"242", abroad, []string{"<invoiceType>1.2", "<invoiceType>1.1"}, false},
		{"243", goods, []string{"<invoiceType>1.1", "<invoiceType>1.2"}, false},
		{"244", abroad, []string{"<invoiceType>1.2", "<invoiceType>1.3"}, false},
		{"247", goods, []string{"<lineNumber>1</lineNumber>", "<lineNumber>1</lineNumber><recType>7</recType>"}, false},
		{"253", goods, []string{"<issueDate>2026-03-05", "<issueDate>2126-03-05"}, false},
		{"261", goods, []string{"<lineNumber>2", "<lineNumber>1"}, false},
		{"271", goods, []string{"<vatAmount>240.00</vatAmount>", "<vatAmount>240.00</vatAmount><vatExemptionCategory>1</vatExemptionCategory>"}, false},
		{"306", goods, []string{"<icls:amount>1000.00", "<icls:amount>999.00"}, false},
		{"308", goods, []string{"E3_561_001", "E3_561_003"}, false},
		{"311", exempt, []string{"</totalGrossValue><incomeClassification>", "</totalGrossValue><!--", "</incomeClassification></invoiceSummary>", "--></invoiceSummary>"}, false},
		{"312", goods, []string{"<icls:amount>1125.00", "<icls:amount>1124.00"}, false},
		{"313", exempt, []string{"</totalGrossValue><incomeClassification><icls:classificationType>E3_561_001", "</totalGrossValue><incomeClassification><icls:classificationType>E3_561_003"}, false},
		{"407", goods, []string{"<amount>1372.50", "<amount>1372.51"}, true},
	}, "265")
}

// TestMyData_CheckDigitsOfAFM has numbers with the right check digit and with another one.
func TestMyData_CheckDigitsOfAFM(t *testing.T) {
	myDataFormat.checkDigits(t, "01-goods", "<vatNumber>", "987654324", 1, map[string]bool{"094014201": true, "987654324": true, "090000045": true, "094259216": true,
		"094014202": false, "999999999": false, "888888888": false, "094259217": false})
}

// TestMyData_FilesHaveAtMost5000Invoices ensures the limit of the authority on one file.
func TestMyData_FilesHaveAtMost5000Invoices(t *testing.T) {
	s := shippedService(t, today)
	text := string(myDataFormat.golden(t, "08-exempt"))
	from, to := strings.Index(text, "<invoice>"), strings.Index(text, "</InvoicesDoc>")
	for n, broken := range map[int]bool{5000: false, 5001: true} {
		a, err := s.Validate(t.Context(), myDataFormat.validation([]byte(text[:from]+strings.Repeat(text[from:to], n)+text[to:])))
		if err != nil || fires(a.Errors, "265") != broken {
			t.Errorf("%d: %v, valid %v, %.300v", n, err, a != nil && a.Valid, a)
		}
	}
}
