package profile

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// termsSentence: terms of payment without a description get one (BT-20), and the days give the due date (BT-9).
var termsSentence = Step{
	Name:   "payment terms",
	Copies: []Move{{"paymentTerms.dueDays", "dueDate"}, {"paymentTerms.dueDays", "paymentTerms.description"}, {"dueDate", "paymentTerms.description"}},
	Derive: func(d *Draft) {
		inv := d.Invoice
		terms := inv.PaymentTerms
		if terms == nil {
			return
		}
		due := inv.DueDate
		if terms.DueDays != nil {
			due = inv.IssueDate.AddDays(*terms.DueDays)
			if inv.DueDate == "" {
				inv.DueDate = due
			}
		}
		if terms.Description == "" {
			terms.Description = d.words().due(terms.DueDays, inv.DueDate)
			terms.DueDays = nil
		} else if inv.DueDate == due {
			terms.DueDays = nil
		}
	},
}

func (w *words) due(days *int, due invoice.Date) string {
	switch {
	case days != nil && *days == 0:
		return w.dueNow
	case days != nil:
		return fmt.Sprintf(w.dueDays, *days)
	case due != "":
		return fmt.Sprintf(w.dueOn, w.day(due))
	}
	return ""
}

// retention: a security retention lowers only what is paid now, so it is a sentence of the terms of payment (BT-20).
var retention = Step{
	Name: "retention",
	Moves: []Move{
		{"retention.amount", "paymentTerms.description"}, {"retention.percent", "paymentTerms.description"},
		{"retention.baseAmount", "paymentTerms.description"}, {"retention.reason", "paymentTerms.description"},
		{"retention.dueDate", "paymentTerms.description"},
	},
	Derive: func(d *Draft) {
		if r := d.Invoice.Retention; r != nil {
			terms := termsOf(d.Invoice)
			terms.Description = paragraph(terms.Description, d.words().retained(r, d.Invoice.Currency))
			d.Invoice.Retention = nil
		}
	},
}

func termsOf(inv *invoice.Invoice) *invoice.PaymentTerms {
	if inv.PaymentTerms == nil {
		inv.PaymentTerms = &invoice.PaymentTerms{}
	}
	return inv.PaymentTerms
}

// paragraph adds a line to a text.
func paragraph(text, line string) string {
	if text == "" {
		return line
	}
	return strings.TrimRight(text, "\n") + "\n" + line
}

func (w *words) retained(r *invoice.Retention, currency string) string {
	text := w.retention
	if r.Reason != "" {
		text = r.Reason
	}
	text += ": " + r.Amount.WithMinScale(2).String() + " " + currency
	if r.Percent.IsSet() {
		text += " (" + r.Percent.String() + " %"
		if r.BaseAmount.IsSet() {
			text += " " + w.of + " " + r.BaseAmount.WithMinScale(2).String() + " " + currency
		}
		text += ")"
	} else if r.BaseAmount.IsSet() {
		text += " (" + w.of + " " + r.BaseAmount.WithMinScale(2).String() + " " + currency + ")"
	}
	if r.DueDate != "" {
		text += ", " + w.payable + " " + w.day(r.DueDate)
	}
	return text + "."
}

// discount is the sentence for a cash discount.
func (w *words) discount(d *invoice.EarlyDiscount, currency string) string {
	text := fmt.Sprintf(w.discountDays, d.DiscountPercent, *d.Days)
	if d.BaseAmount.IsSet() {
		text += " (" + w.of + " " + d.BaseAmount.WithMinScale(2).String() + " " + currency + ")"
	}
	return text + "."
}

// skonto: XRechnung states a cash discount as a line of the terms of payment, which ends the text (BR-DE-18).
var skonto = Step{
	Name: "cash discount",
	Moves: []Move{
		{"cashDiscountPercent", "paymentTerms.description"}, {"cashDiscountDays", "paymentTerms.description"},
		{"cashDiscountBaseAmount", "paymentTerms.description"}, {"paymentTerms.earlyPaymentDiscount", "paymentTerms.description"},
	},
	Derive:  deriveSkonto,
	Restore: restoreSkonto,
}

// deriveSkonto writes the line. Percentage and amount have two decimals, as BR-DE-18 demands.
func deriveSkonto(d *Draft) {
	inv := d.Invoice
	discount := takeDiscount(inv)
	if discount != nil {
		line := "#SKONTO#TAGE=" + strconv.Itoa(*discount.Days) + "#PROZENT=" + discount.DiscountPercent.Round(2, decimal.HalfUp).WithMinScale(2).String()
		if discount.BaseAmount.IsSet() {
			line += "#BASISBETRAG=" + discount.BaseAmount.Round(2, decimal.HalfUp).WithMinScale(2).String()
		}
		terms := termsOf(inv)
		terms.Description = paragraph(terms.Description, line+"#")
	}
	if terms := inv.PaymentTerms; terms != nil {
		terms.Description = ended(terms.Description)
	}
}

// ended gives a text with lines for machines, which begin with a number sign, the line feed that must follow the last text
// between number signs.
func ended(text string) string {
	last := marked.FindAllStringIndex(text, -1)
	if last == nil || !machineLine.MatchString(text) {
		return text
	}
	if rest := text[last[len(last)-1][1]:]; strings.TrimSpace(rest) == "" && !strings.Contains(rest, "\n") {
		return text + "\n"
	}
	return text
}

var (
	marked      = regexp.MustCompile(`#.+#`)
	machineLine = regexp.MustCompile(`(^|\n)\s*#`)
)

// takeDiscount takes the discount off the invoice: that of the terms of payment comes before the short form.
func takeDiscount(inv *invoice.Invoice) *invoice.EarlyDiscount {
	if terms := inv.PaymentTerms; terms != nil && terms.EarlyPaymentDiscount != nil && terms.EarlyPaymentDiscount.Days != nil {
		discount := terms.EarlyPaymentDiscount
		terms.EarlyPaymentDiscount = nil
		return discount
	}
	if !inv.CashDiscountPercent.IsSet() || inv.CashDiscountDays == nil {
		return nil
	}
	discount := &invoice.EarlyDiscount{Days: inv.CashDiscountDays, DiscountPercent: inv.CashDiscountPercent, BaseAmount: inv.CashDiscountBaseAmount}
	inv.CashDiscountPercent, inv.CashDiscountDays, inv.CashDiscountBaseAmount = decimal.Decimal{}, nil, decimal.Decimal{}
	return discount
}

// skontoLine is the form of BR-DE-18.
var skontoLine = regexp.MustCompile(`^\s*#SKONTO#TAGE=([0-9]{1,3})#PROZENT=([0-9]{1,3}\.[0-9]{2})(?:#BASISBETRAG=(-?[0-9]+\.[0-9]{2}))?#\s*$`)

// restoreSkonto takes a single discount line out of the text; the invoice object has room for one, so several stay text.
// Figures that the invoice object does not allow stay text as well.
func restoreSkonto(d *Draft) {
	terms := d.Invoice.PaymentTerms
	if terms == nil {
		return
	}
	var rest []string
	var found []string
	for line := range strings.SplitSeq(terms.Description, "\n") {
		if m := skontoLine.FindStringSubmatch(line); m != nil {
			if found != nil {
				return
			}
			found = m
			continue
		}
		rest = append(rest, line)
	}
	if found == nil {
		return
	}
	discount := &invoice.EarlyDiscount{}
	days, _ := strconv.Atoi(found[1])
	discount.Days = &days
	discount.DiscountPercent, _ = decimal.Parse(found[2])
	if found[3] != "" {
		discount.BaseAmount, _ = decimal.Parse(found[3])
	}
	if days > 365 || discount.DiscountPercent.Sign() <= 0 || discount.DiscountPercent.Cmp(hundred) > 0 {
		return
	}
	terms.EarlyPaymentDiscount = discount
	terms.Description = strings.Trim(strings.Join(rest, "\n"), " \t\r\n")
}
