export type ImportId = 'codes' | 'campaign' | 'customers' | 'products' | 'skus'

export interface ImportKind {
  name: string
  /** What a row does, in words. */
  about: string
  required: readonly string[]
  known: readonly string[]
  /** What becomes of records that exist already. */
  existing: string
  /** Whether a row can take something away. */
  isOverwriting?: true
  example: string
}

/** What can be imported from a file, and the columns that the service understands. Every other column becomes metadata. */
export const importKinds: Record<ImportId, ImportKind> = {
  codes: {
    name: 'Codes',
    about: 'Each row is a code of its own, outside of any campaign.',
    required: ['Code', 'Voucher Type', 'Value'],
    known: [
      'Discount Type',
      'Discount Effect',
      'Discount Unit Type',
      'Formula',
      'Validation Rule ID',
      'Category',
      'Active',
      'Start Date',
      'Expiration Date',
      'Redemption Limit',
      'Redeemed Quantity',
      'Redeemed Amount',
      'Additional Info',
    ],
    existing: 'Of codes that exist already, only the category and whether they are active change.',
    example: [
      'Code,Voucher Type,Value,Discount Type,Expiration Date,Redemption Limit,Active',
      'SUMMER-10,DISCOUNT_VOUCHER,10,PERCENT,2030-08-31,1,TRUE',
      'FIVE-OFF,DISCOUNT_VOUCHER,500,AMOUNT,,,TRUE',
      'GIFT-25,GIFT_VOUCHER,2500,,2030-12-31,,TRUE',
    ].join('\n'),
  },
  campaign: {
    name: 'Codes of a campaign',
    about: 'Each row is a code of the campaign; what it gives comes from the campaign.',
    required: ['Code'],
    known: [
      'Active',
      'Category',
      'Start Date',
      'Expiration Date',
      'Redeemed Quantity',
      'Gift Amount',
      'Redeemed Amount',
      'Loyalty Points',
    ],
    existing: 'Of codes that the campaign has already, only the category and whether they are active change.',
    example: 'Code,Active,Expiration Date\nPARTNER-0001,TRUE,2030-12-31\nPARTNER-0002,TRUE,2030-12-31\n',
  },
  customers: {
    name: 'Customers',
    about: 'Each row is a customer, found by the source id of your shop.',
    required: [],
    known: [
      'Id',
      'Source_id',
      'Name',
      'Email',
      'Phone',
      'Birthdate',
      'Description',
      'Address_line_1',
      'Address_line_2',
      'Address_Postal_Code',
      'Address_City',
      'Address_State',
      'Address_Country',
    ],
    isOverwriting: true,
    existing: 'A row replaces the whole profile of a customer who exists: what the file does not have is cleared.',
    example: [
      'Source_id,Name,Email,Phone,Address_City,Address_Country',
      'cust-1001,Ann Porter,ann@shop.example,+441632960001,Leeds,United Kingdom',
      'cust-1002,Ben Okafor,ben@shop.example,,Bristol,United Kingdom',
    ].join('\n'),
  },
  products: {
    name: 'Products',
    about: 'Each row is a product, found by the source id of your shop.',
    required: ['name'],
    known: ['source_id', 'price', 'attributes', 'image_url'],
    existing: 'Of products that exist already, only the name changes. Prices are in cents.',
    example: 'name,source_id,price,attributes\nMug,mug-1,1450,"colour,size"\nTea pot,pot-1,3900,colour\n',
  },
  skus: {
    name: 'Product variants',
    about: 'Each row is a variant (SKU) of a product that exists.',
    required: ['product_id', 'source_id'],
    known: ['sku', 'price', 'image_url', 'attributes'],
    existing: 'Of variants that exist already, only the name and the price change. Prices are in cents.',
    example: `product_id,source_id,sku,price,attributes\nmug-1,mug-1-red,Red mug,1450,"{""colour"":""red""}"\n`,
  },
}

/** Headers are compared as the service does: without case, with spaces and underscores equal. */
const plain = (header: string) => header.trim().toLowerCase().replaceAll('_', ' ')

const allColumns = Object.values(importKinds).flatMap(({ required, known }) => [...required, ...known])

/** A column of any import as it is written there; undefined for any other word. */
export function knownColumn(name: string): string | undefined {
  return allColumns.find((column) => column === name) ?? allColumns.find((column) => plain(column) === plain(name))
}

interface ImportColumn {
  header: string
  meaning: 'known' | 'metadata' | 'ignored'
}

export function columnsOf({ required, known }: ImportKind, header: readonly string[]): ImportColumn[] {
  const names = new Set([...required, ...known].map(plain))
  return header.map((name) => ({
    header: name,
    meaning: name.trim() === '' ? 'ignored' : names.has(plain(name)) ? 'known' : 'metadata',
  }))
}

export function missingColumns({ required }: ImportKind, header: readonly string[]): string[] {
  const names = new Set(header.map(plain))
  return required.filter((name) => !names.has(plain(name)))
}

/** Headers that occur twice: the service refuses such a file. */
export function repeatedColumns(header: readonly string[]): string[] {
  const names = header.map(plain)
  return header.filter((name, index) => plain(name) !== '' && names.indexOf(plain(name)) !== index)
}
