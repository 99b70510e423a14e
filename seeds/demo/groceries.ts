import type { ProductTemplate } from '../../db/templates/table/columns.ts'
import { ipfs, text } from './document.ts'

/** Food and drink. */
export const groceries: ProductTemplate[] = [
  {
    id: 0,
    blockchainId: 1,
    maxItems: 500,
    name: 'Quinta da Névoa olive oil',
    publicProduct: true,
    componentName: 'DefaultProduct',
    timeCreated: '2025-09-14T08:30:11.482913Z',
    timeModified: '2026-05-02T16:45:59.000137Z',
    data: text(
      {
        productId: 1001,
        description:
          'Cold-pressed within four hours of the harvest.\n\nKeep it dark and cool.\r\nBest within a year.',
        external_url: 'https://quinta-da-nevoa.example.com/azeite',
        image: ipfs('bafybeiazeite0quintadanevoa'),
        name: 'Quinta da Névoa olive oil',
        component: 'DefaultProduct',
        attributes: [
          ['ProductType', 'Olive oil'],
          ['Video', 'https://video.example.com/nevoa-harvest'],
          ['RecyclingManual', 'https://recycling.example.com/glass'],
          ['MadeIn', 'Portugal'],
          ['Warning', ''],
          ['ProductName', 'Azeite Extra Virgem'],
          ['ProductUrl', 'https://quinta-da-nevoa.example.com/azeite/500ml'],
          ['Music', 'Fado for an empty terrace'],
          ['FeaturesArray', ['single estate', 'unfiltered', '0.2 % acidity']],
          ['SecretMessage', 'The oldest tree is 1,100 years old.'],
          ['CharityDonationRecipient', 'Friends of the Old Groves'],
          ['CharityDonationAmount', '0.50 EUR'],
          ['CharityMessage', 'Every bottle replants a tree.'],
          ['AuthenticMessage', 'This bottle left our mill.'],
          ['Notify3rdParty', ''],
          ['IPFSBrandLogo', ipfs('bafybeilogonevoa')],
          ['IPFSCertification', ipfs('bafybeiorganicnevoa')],
          ['IPFSproductPhoto1', ipfs('bafybeiphoto1nevoa')],
          ['IPFSproductPhoto2', ipfs('bafybeiphoto2nevoa')],
          ['IPFSproductPhoto3', ipfs('bafybeiphoto3nevoa')],
          ['IPFSproductPhoto4', ipfs('bafybeiphoto4nevoa')],
          ['IPFSproductPhoto5', ipfs('bafybeiphoto5nevoa')],
          ['IPFSproductPhoto6', ipfs('bafybeiphoto6nevoa')],
          ['UnitsProduced', 500],
          ['EmailOptional', true]
        ]
      },
      2
    )
  },
  {
    id: 3,
    blockchainId: 1,
    maxItems: 1,
    name: 'Meseta Alta coffee, lot 3',
    publicProduct: true,
    componentName: 'DefaultProduct',
    timeCreated: '2026-04-01T00:00:00.000000Z',
    timeModified: '2026-04-01T00:00:00.000000Z',
    data: text({
      productId: '3',
      description: 'Washed and dried on raised beds.',
      external_url: 'https://meseta-alta.example.com/lots/3',
      image: ipfs('bafybeicafe3mesetaalta'),
      name: 'Meseta Alta coffee, lot 3',
      component: '',
      attributes: [
        ['UnitsProduced', '1'],
        ['MadeIn', 'Peru'],
        ['ProductType', 'Coffee'],
        ['EmailOptional'],
        ['FeaturesArray', []],
        ['IPFSBrandLogo', ipfs()]
      ]
    })
  },
  {
    id: 4,
    blockchainId: 1,
    maxItems: 2400,
    name: 'Brisa Atlântica sea salt',
    publicProduct: true,
    componentName: 'DefaultProduct',
    timeCreated: '2025-12-24T18:00:00.654321Z',
    timeModified: '2026-08-11T07:07:07.070707Z',
    data: text(
      {
        productId: '',
        description: 'Raked by hand.\nOnly in August.',
        external_url: '',
        image: ipfs('bafybeisal4brisaatlantica'),
        name: 'Brisa Atlântica sea salt',
        component: 'DefaultProduct',
        attributes: [
          ['MadeIn', 'Portugal'],
          ['ProductType', 'Salt'],
          ['Warning', 'Not for aquariums.'],
          ['IPFSCertification', ipfs()],
          ['EmailOptional', false],
          ['UnitsProduced', '']
        ]
      },
      '\t'
    )
  },
  {
    id: 12,
    blockchainId: 4,
    maxItems: 60,
    name: 'Hakuba Snowmelt gin',
    publicProduct: false,
    componentName: 'DefaultProduct',
    timeCreated: '2026-02-28T23:59:59.999999Z',
    timeModified: '2026-09-09T09:09:09.123456Z',
    // Irregular white space on purpose: `data` must be served as stored.
    data: `{
  "productId" : 12 ,
  "description":"Distilled at 1,900 m.\\nServe it with  two  spaces of patience.",
  "external_url": "https://hakuba-snowmelt.example.com",

  "image": "${ipfs('bafybeigin12hakuba')}",
  "name":   "Hakuba Snowmelt gin",
  "component": "DefaultProduct",
  "attributes": [
    { "trait_type": "ProductType", "value": "Gin" },
    { "value": "Japan", "trait_type": "MadeIn" },
    { "trait_type": "Warning", "value": "Drink responsibly." },
    { "trait_type": "UnitsProduced", "value": 60 },
    { "trait_type": "Music" }
  ]
}
`
  }
]
