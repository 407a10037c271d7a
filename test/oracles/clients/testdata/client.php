<?php
// Sends two invoices, and a document that is none, through the generated PHP client and prints what it reads back.
declare(strict_types=1);

use Einvoiced\ApiException;
use Einvoiced\Api\InvoiceGenerationApi;
use Einvoiced\Api\InvoiceParsingApi;
use Einvoiced\Configuration;
use Einvoiced\Model\CompleteBankAccount;
use Einvoiced\Model\CompleteInvoice;
use Einvoiced\Model\CompleteItem;
use Einvoiced\Model\CompletePaymentMethod;
use Einvoiced\Model\CompleteTaxSummary;
use Einvoiced\Model\CompleteTrader;
use Einvoiced\Model\Contact;
use Einvoiced\Model\DocumentType;
use Einvoiced\Model\GenerateRequest;
use Einvoiced\Model\ParseRequest;
use Einvoiced\Model\PaymentMethodType;

require 'GuzzleHttp/autoload.php';
spl_autoload_register(function (string $class): void {
    if (str_starts_with($class, 'Einvoiced\\')) {
        require __DIR__ . '/php/lib/' . strtr(substr($class, strlen('Einvoiced\\')), '\\', '/') . '.php';
    }
});

const INVOICES = [
    [25.00, 100.00, 19.00, 119.00],
    [25936300212.6775, 103745200850.71, 19711588161.63, 123456789012.34],
];

function invoice(float $price, float $net, float $tax, float $total): CompleteInvoice
{
    $seller = (new CompleteTrader())->setName('Weserhandel GmbH')->setStreet('Am Speicher 4')->setCity('Bremen')->setPostalCode('28195')
        ->setCountryCode('DE')->setVatId('DE123456789')->setEmail('billing@weserhandel.example')->setPhone('+49 421 000000')
        ->setContact((new Contact())->setName('Petra Harms'))
        ->setBankAccount((new CompleteBankAccount())->setIban('DE02120300000000202051'));
    $buyer = (new CompleteTrader())->setName('Amt Nord')->setStreet('Fuldaufer 1')->setCity('Kassel')->setPostalCode('34117')
        ->setCountryCode('DE')->setEmail('intake@amt-nord.example');
    $line = (new CompleteItem())->setDescription('Signal lamp')->setQuantity(4)->setUnit('C62')->setUnitPrice($price)->setTaxRate(19)
        ->setTaxCategoryCode('S')->setNetAmount($net)->setTaxAmount($tax);
    $taxes = (new CompleteTaxSummary())->setTaxRate(19)->setTaxCategoryCode('S')->setNetAmount($net)->setTaxAmount($tax);
    return (new CompleteInvoice())->setInvoiceNumber('2026-0117')->setType(DocumentType::INVOICE)
        ->setIssueDate(new DateTime('2026-03-02'))->setDueDate(new DateTime('2026-04-01'))->setDeliveryDate(new DateTime('2026-02-27'))
        ->setCurrency('EUR')->setBuyerReference('04011000-12345-03')->setSeller($seller)->setBuyer($buyer)->setItems([$line])
        ->setTaxSummary([$taxes])->setSubtotal($net)->setTotal($total)
        ->setPaymentMethods([(new CompletePaymentMethod())->setType(PaymentMethodType::CREDIT_TRANSFER)]);
}

function refusal(Configuration $configuration): array
{
    try {
        (new InvoiceParsingApi(null, $configuration))->parseAuto((new ParseRequest())->setData('PEludm9pY2UvPg=='));
    } catch (ApiException $e) {
        $error = $e->getResponseObject();
        return ['code' => $error->getCode(), 'success' => $error->getSuccess(), 'field' => $error->getErrors()[0]->getField()];
    }
    throw new LogicException('the document that is none was taken for an invoice');
}

$configuration = (new Configuration())->setHost(getenv('URL'))->setAccessToken(getenv('KEY'));
$results = [];
foreach (INVOICES as $amounts) {
    $made = (new InvoiceGenerationApi(null, $configuration))
        ->generate('de', 'xrechnung', (new GenerateRequest())->setInvoice(invoice(...$amounts)));
    $read = (new InvoiceParsingApi(null, $configuration))
        ->parse('de', 'xrechnung', (new ParseRequest())->setData($made->getData()))->getInvoice();
    $found = [$read->getItems()[0]->getUnitPrice(), $read->getSubtotal(), $read->getTaxSummary()[0]->getTaxAmount(), $read->getTotal()];
    $results[] = [
        'document' => $made->getData(), 'hash' => $made->getHash(), 'issued' => $read->getIssueDate()->format('Y-m-d'),
        'amounts' => array_map(fn (float $amount): string => var_export($amount, true), $found),
    ];
}
echo json_encode(['invoices' => $results, 'refusal' => refusal($configuration)], JSON_THROW_ON_ERROR), "\n";
