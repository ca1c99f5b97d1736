import type { Chance } from './chance.ts'
import { plainCustomer, vipCustomer } from './known.ts'

/** A customer of the demo shop, with the habits by which the history is made. */
export interface DemoPerson {
  source_id: string
  name: string
  email: string
  city: string
  country: string
  geo: string
  is_reader: boolean
  is_vip: boolean
  /** Joins the club with the first order. */
  likes_points: boolean
  /** How often the person buys, compared with others. */
  weight: number
}

interface Culture {
  country: string
  cities: ReadonlyArray<readonly [name: string, geo: string]>
  first: readonly string[]
  last: readonly string[]
}

const words = (text: string): string[] => text.split(', ')

const cultures: readonly Culture[] = [
  {
    country: 'TR',
    cities: [
      ['Istanbul', '41.01,28.98'],
      ['Izmir', '38.42,27.14'],
    ],
    first: words('Ayşe, Mehmet, Zeynep, Emre, Defne, Kerem'),
    last: words('Kaya, Demir, Şahin, Çelik, Aydın, Öztürk'),
  },
  {
    country: 'PL',
    cities: [
      ['Warszawa', '52.23,21.01'],
      ['Łódź', '51.76,19.46'],
    ],
    first: words('Agnieszka, Piotr, Zofia, Jakub, Małgorzata, Tomasz'),
    last: words('Nowak, Wiśniewska, Wójcik, Kowalczyk, Zieliński, Szymańska'),
  },
  {
    country: 'DE',
    cities: [
      ['Berlin', '52.52,13.40'],
      ['München', '48.14,11.58'],
      ['Potsdam', '52.40,13.06'],
    ],
    first: words('Anke, Jürgen, Lena, Matthias, Friederike, Björn'),
    last: words('Müller, Schäfer, Krause, Großmann, Vogel, Lindner'),
  },
  {
    country: 'NG',
    cities: [
      ['Lagos', '6.52,3.38'],
      ['Abuja', '9.06,7.49'],
    ],
    first: words('Chidinma, Oluwaseun, Ngozi, Emeka, Amina, Tunde'),
    last: words('Okafor, Adeyemi, Eze, Balogun, Nwosu, Abubakar'),
  },
  {
    country: 'JP',
    cities: [
      ['Tokyo', '35.68,139.69'],
      ['Osaka', '34.69,135.50'],
    ],
    first: words('Haruka, Kenji, Yui, Takumi, Sakura, Daichi'),
    last: words('Satō, Suzuki, Tanaka, Kobayashi, Yamamoto, Nakamura'),
  },
  {
    country: 'BR',
    cities: [
      ['São Paulo', '-23.55,-46.63'],
      ['Recife', '-8.05,-34.90'],
    ],
    first: words('Beatriz, João, Larissa, Thiago, Mariana, Antônio'),
    last: words('Silva, Araújo, Gonçalves, Ferreira, Conceição, Ribeiro'),
  },
  {
    country: 'IN',
    cities: [
      ['Mumbai', '19.08,72.88'],
      ['Bengaluru', '12.97,77.59'],
    ],
    first: words('Ananya, Rohan, Priya, Arjun, Kavya, Imran'),
    last: words('Sharma, Iyer, Patel, Banerjee, Khan, Reddy'),
  },
  {
    country: 'VN',
    cities: [
      ['Hà Nội', '21.03,105.85'],
      ['Đà Nẵng', '16.05,108.20'],
    ],
    first: words('Linh, Minh, Thảo, Đức, Hương, Quân'),
    last: words('Nguyễn, Trần, Lê, Phạm, Hoàng, Đặng'),
  },
  {
    country: 'MX',
    cities: [
      ['Ciudad de México', '19.43,-99.13'],
      ['Guadalajara', '20.67,-103.35'],
    ],
    first: words('Ximena, Diego, Valeria, José, Lucía, Emiliano'),
    last: words('Hernández, García, Ramírez, Núñez, Castañeda, Peña'),
  },
  {
    country: 'IE',
    cities: [
      ['Dublin', '53.35,-6.26'],
      ['Cork', '51.90,-8.47'],
    ],
    first: words('Aoife, Seán, Niamh, Cian, Róisín, Padraig'),
    last: words("O'Brien, Murphy, Ó Súilleabháin, Kelly, Byrne, Doyle"),
  },
  {
    country: 'KR',
    cities: [
      ['Seoul', '37.57,126.98'],
      ['Busan', '35.18,129.08'],
    ],
    first: words('Ji-woo, Min-jun, Seo-yeon, Do-yun, Ha-eun, Joon-ho'),
    last: words('Kim, Lee, Park, Choi, Jung, Kang'),
  },
  {
    country: 'FR',
    cities: [
      ['Lyon', '45.76,4.84'],
      ['Marseille', '43.30,5.37'],
    ],
    first: words('Chloé, Théo, Inès, Hugo, Zoé, Rémi'),
    last: words('Lefèvre, Moreau, Dubois, Benali, Garnier, Château'),
  },
  {
    country: 'ET',
    cities: [
      ['Addis Ababa', '9.03,38.74'],
      ['Gondar', '12.60,37.47'],
    ],
    first: words('Selam, Dawit, Hanna, Yonas, Meron, Abel'),
    last: words('Tesfaye, Bekele, Haile, Girma, Alemu, Tadesse'),
  },
  {
    country: 'FI',
    cities: [
      ['Helsinki', '60.17,24.94'],
      ['Tampere', '61.50,23.76'],
    ],
    first: words('Aino, Väinö, Helmi, Eero, Sanni, Onni'),
    last: words('Virtanen, Mäkinen, Nieminen, Hämäläinen, Koskinen, Järvinen'),
  },
  {
    country: 'EG',
    cities: [
      ['Cairo', '30.04,31.24'],
      ['Alexandria', '31.20,29.92'],
    ],
    first: words('Fatma, Omar, Nour, Youssef, Salma, Karim'),
    last: words('Hassan, Ibrahim, El-Sayed, Mansour, Farouk, Mostafa'),
  },
  {
    country: 'UA',
    cities: [
      ['Kyiv', '50.45,30.52'],
      ['Lviv', '49.84,24.03'],
    ],
    first: words('Олена, Андрій, Оксана, Тарас, Ірина, Богдан'),
    last: words('Шевченко, Коваленко, Бондар, Ткачук, Мельник, Лисенко'),
  },
]

/** The customers, the two known ones first. E-mail addresses end on domains that nobody can own. */
export function newPeople(chance: Chance, count: number): DemoPerson[] {
  const people: DemoPerson[] = [elif, jonas]
  while (people.length < count) people.push(newPerson(chance, people.length + 1))
  return people
}

const elif: DemoPerson = {
  ...vipCustomer,
  city: 'Berlin',
  country: 'DE',
  geo: '52.50,13.42',
  is_reader: true,
  is_vip: true,
  likes_points: true,
  weight: 6,
}

const jonas: DemoPerson = {
  ...plainCustomer,
  city: 'Hamburg',
  country: 'DE',
  geo: '53.55,9.99',
  is_reader: false,
  is_vip: false,
  likes_points: false,
  weight: 1,
}

function newPerson(chance: Chance, number: number): DemoPerson {
  const { country, cities, first, last } = chance.pick(cultures)
  const name = `${chance.pick(first)} ${chance.pick(last)}`
  const [city, geo] = chance.pick(cities)
  const domain = chance.pick(['example.com', 'example.org', 'example.net'])
  return {
    source_id: `customer-${String(number).padStart(4, '0')}`,
    name,
    email: `${mailNameOf(name) || 'customer'}${number}@${domain}`,
    city,
    country,
    geo,
    is_reader: chance.isTrue(0.45),
    is_vip: chance.isTrue(0.05),
    likes_points: chance.isTrue(0.3),
    weight: chance.pickWeighted([
      [0.3, 45],
      [1, 35],
      [3, 15],
      [6, 5],
    ]),
  }
}

/** The name in letters of an e-mail address: `mailNameOf('Małgorzata Wójcik')` is `malgorzata.wojcik`. */
const mailNameOf = (name: string): string =>
  name
    .normalize('NFD')
    .toLowerCase()
    .replaceAll('ı', 'i')
    .replaceAll('ł', 'l')
    .replaceAll('đ', 'd')
    .replaceAll('ß', 'ss')
    .replaceAll(' ', '.')
    .replaceAll(/[^a-z.-]/g, '')
    .replaceAll(/^\.|\.$/g, '')
