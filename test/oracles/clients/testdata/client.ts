// Sends two invoices, and a document that is none, through the generated TypeScript client and prints what it reads back.
import { CompleteInvoice, Configuration, InvoiceGenerationApi, InvoiceParsingApi, ModelErrorFromJSON, ResponseError } from './typescript';

declare const process: { env: Record<string, string>; exitCode: number };

interface Amounts { price: number; net: number; tax: number; total: number }

const example: Amounts = { price: 25.0, net: 100.0, tax: 19.0, total: 119.0 };
const large: Amounts = { price: 25936300212.6775, net: 103745200850.71, tax: 19711588161.63, total: 123456789012.34 };

function invoice(a: Amounts): CompleteInvoice {
  return {
    invoiceNumber: '2026-0117',
    type: 'invoice',
    issueDate: new Date('2026-03-02'),
    dueDate: new Date('2026-04-01'),
    deliveryDate: new Date('2026-02-27'),
    currency: 'EUR',
    buyerReference: '04011000-12345-03',
    seller: {
      name: 'Weserhandel GmbH', street: 'Am Speicher 4', city: 'Bremen', postalCode: '28195', countryCode: 'DE',
      vatId: 'DE123456789', email: 'billing@weserhandel.example', phone: '+49 421 000000',
      contact: { name: 'Petra Harms' }, bankAccount: { iban: 'DE02120300000000202051' },
    },
    buyer: {
      name: 'Amt Nord', street: 'Fuldaufer 1', city: 'Kassel', postalCode: '34117', countryCode: 'DE', email: 'intake@amt-nord.example',
    },
    items: [{
      description: 'Signal lamp', quantity: 4, unit: 'C62', unitPrice: a.price, taxRate: 19, taxCategoryCode: 'S',
      netAmount: a.net, taxAmount: a.tax,
    }],
    taxSummary: [{ taxRate: 19, taxCategoryCode: 'S', netAmount: a.net, taxAmount: a.tax }],
    subtotal: a.net,
    total: a.total,
    paymentMethods: [{ type: 'credit_transfer' }],
  };
}

async function refusal(configuration: Configuration) {
  try {
    await new InvoiceParsingApi(configuration).parseAuto({ parseRequest: { data: 'PEludm9pY2UvPg==' } });
  } catch (e) {
    if (e instanceof ResponseError) {
      const error = ModelErrorFromJSON(await e.response.json());
      return { code: error.code, success: error.success, field: error.errors[0].field };
    }
    throw e;
  }
  throw new Error('the document that is none was taken for an invoice');
}

async function main() {
  const configuration = new Configuration({ basePath: process.env.URL, accessToken: process.env.KEY });
  const results = [];
  for (const amounts of [example, large]) {
    const path = { countryCode: 'de', format: 'xrechnung' };
    const made = await new InvoiceGenerationApi(configuration).generate({ ...path, generateRequest: { invoice: invoice(amounts) } });
    const { invoice: read } = await new InvoiceParsingApi(configuration).parse({ ...path, parseRequest: { data: made.data } });
    results.push({
      document: made.data, hash: made.hash, issued: read.issueDate!.toISOString().slice(0, 10),
      amounts: [read.items![0].unitPrice, read.subtotal, read.taxSummary![0].taxAmount, read.total].map(String),
    });
  }
  console.log(JSON.stringify({ invoices: results, refusal: await refusal(configuration) }));
}

main().catch((e) => { console.error(e); process.exitCode = 1; });
