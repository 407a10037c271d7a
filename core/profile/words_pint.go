package profile

import (
	"strconv"

	"github.com/einvoiced/einvoiced/core/invoice"
)

// The sentences of the countries with PINT, CIUS-PT and CIUS-RO, each in the country's first language.

var arabic = &words{
	dueNow: "مستحق الدفع فورًا دون خصم.", dueDays: "مستحق الدفع خلال %d يومًا من تاريخ الفاتورة.", dueOn: "مستحق الدفع في موعد أقصاه %s.",
	retention: "مبلغ ضمان محتجز", of: "من", payable: "يستحق في",
	discountDays: "خصم %s %% عند الدفع خلال %d يومًا من تاريخ الفاتورة", day: slashed,
}

var japanese = &words{
	dueNow: "即時にお支払いください。", dueDays: "請求書発行日から%d日以内にお支払いください。", dueOn: "%sまでにお支払いください。",
	retention: "保留金", of: "対象額", payable: "支払期日",
	discountDays: "請求書発行日から%[2]d日以内のお支払いで%[1]s%%割引", day: japaneseDay,
}

var portuguese = &words{
	dueNow: "Pagamento imediato, sem desconto.", dueDays: "Pagamento no prazo de %d dias a contar da data da fatura.", dueOn: "Pagamento até %s.",
	retention: "Retenção de garantia", of: "de", payable: "exigível em",
	discountDays: "Desconto de %s %% para pagamento no prazo de %d dias a contar da data da fatura", day: slashed,
}

var romanian = &words{
	dueNow: "Plata imediată, fără reducere.", dueDays: "Plata în termen de %d zile de la data facturii.", dueOn: "Plata până la %s.",
	retention: "Garanție reținută", of: "din", payable: "scadentă la",
	discountDays: "Reducere de %s %% pentru plata în termen de %d zile de la data facturii", day: dotted,
}

// japaneseDay writes a date as it is read in Japan.
func japaneseDay(day invoice.Date) string {
	if !day.Valid() {
		return string(day)
	}
	number := func(text invoice.Date) string {
		n, _ := strconv.Atoi(string(text))
		return strconv.Itoa(n)
	}
	return string(day[:4]) + "年" + number(day[5:7]) + "月" + number(day[8:]) + "日"
}
