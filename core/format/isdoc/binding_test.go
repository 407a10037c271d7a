package isdoc

import (
	"flag"
	"testing"

	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/internal/tabletest"
)

var update = flag.Bool("update", false, "write docs/mapping-isdoc.md anew")

// TestTable_Compiles ensures that every row has a member and a place.
func TestTable_Compiles(t *testing.T) {
	if _, err := New(); err != nil {
		t.Fatal(err)
	}
}

// TestTable_OrderListsEveryChild ensures that the schema has each element of each path where the path has it.
func TestTable_OrderListsEveryChild(t *testing.T) { tabletest.Order(t, &Table) }

// TestTable_IsTheMappingPage keeps the documentation equal to the table.
func TestTable_IsTheMappingPage(t *testing.T) {
	tabletest.Page[invoice.Invoice]{File: "mapping-isdoc.md", Folder: "isdoc", Syntax: "ISDOC", Remark: func(*row) string { return "" },
		Intro: "Where each business term of EN 16931 stands in the invoice object and in the Czech national invoice ISDOC 6.0.2; [isdoc.md](isdoc.md) tells the rest."}.Check(t, &Table, *update)
}

// TestStreets ensures how streets are taken apart and put together.
func TestStreets(t *testing.T) {
	for _, c := range [][5]string{
		{"Na Příkopě 33/12", "", "", "Na Příkopě", "33/12"}, {"Hlavní 3", "", "", "Hlavní", "3"}, {"Nám. 28. října", "", "", "Nám. 28. října", ""}, {"12", "", "", "12", ""},
		{"Dlouhá 12a", "", "", "Dlouhá", "12a"}, {"Dlouhá 12", "2. patro", "vlevo", "Dlouhá 12, 2. patro, vlevo", ""}, {"", "", "", "", ""},
	} {
		if name, number := streetOf(c[0], c[1], c[2]); name != c[3] || number != c[4] {
			t.Errorf("%q: %q %q", c[0], name, number)
		}
	}
}

// TestAccounts ensures what a Czech IBAN says of the account, and that another account is number and bank.
func TestAccounts(t *testing.T) {
	for id, want := range map[string][2]string{
		"CZ6508000000192000145399": {"19-2000145399", "0800"}, "CZ9455000000001011038930": {"1011038930", "5500"}, "19-2000145399/0800": {"19-2000145399", "0800"},
		"DE89370400440532013000": {"", ""}, "4711": {"4711", ""},
	} {
		if number, bank := accountOf(&invoice.PaymentMethod{Account: &invoice.PaymentAccount{ID: id}}); number != want[0] || bank != want[1] {
			t.Errorf("%s: %s %s", id, number, bank)
		}
	}
}
