import type { ProductTemplate } from '../../db/templates/table/columns.ts'
import { ipfs, text } from './document.ts'

/** Clothing, crafts and limited editions. */
export const collectibles: ProductTemplate[] = [
  {
    id: 15,
    blockchainId: 1,
    maxItems: 250,
    name: 'Nordlys Works trail jacket',
    publicProduct: true,
    componentName: 'DefaultProduct',
    timeCreated: '2026-01-15T10:20:30.405060Z',
    timeModified: '2026-10-01T12:00:00.000250Z',
    data: text({
      productId: 150015,
      description: 'Made of recovered nets.\n- waterproof\n- repairable\n- warm',
      external_url: 'https://nordlys-works.example.com/jackets/trail',
      image: ipfs('bafybeijacket15nordlys'),
      name: 'Nordlys Works trail jacket',
      component: 'DefaultProduct',
      attributes: [
        ['FeaturesArray', ['waterproof', 'repairable']],
        ['ProductName', 'Trail jacket'],
        ['RecyclingManual', 'https://recycling.example.com/nets'],
        ['MadeIn', 'Norway'],
        ['ProductType', 'Jacket'],
        ['CharityDonationRecipient', 'Clean Fjords'],
        ['CharityDonationAmount', '2 %'],
        ['CharityMessage', ''],
        ['EmailOptional', true],
        ['UnitsProduced', '250']
      ]
    })
  },
  {
    id: 16,
    blockchainId: 1,
    maxItems: 99,
    name: 'Kitenge & Kin wrap',
    publicProduct: true,
    componentName: 'DefaultProduct',
    timeCreated: '2026-03-03T03:03:03.300300Z',
    timeModified: '2026-03-03T03:03:03.300301Z',
    data: text(
      {
        productId: '16',
        description: 'Wax print, six yards, "Sunday best".',
        external_url: 'https://kitenge-and-kin.example.com/wraps/16',
        image: ipfs('bafybeiwrap16kitenge'),
        name: 'Kitenge & Kin wrap',
        component: '',
        attributes: [
          ['ProductType', 'Cloth'],
          ['MadeIn', 'Kenya'],
          ['SecretMessage'],
          ['Notify3rdParty', 'https://hooks.kitenge-and-kin.example.com'],
          ['IPFSproductPhoto1', ipfs('bafybeiphoto1kitenge')],
          ['IPFSproductPhoto2', ipfs()]
        ]
      },
      4
    )
  },
  {
    id: 21,
    blockchainId: 4,
    maxItems: 10,
    name: 'Glasmann lamp no. 21',
    publicProduct: false,
    componentName: 'CertificateOfOrigin',
    timeCreated: '2026-06-06T06:06:06.606060Z',
    timeModified: '2026-06-07T06:06:06.606061Z',
    data: text({
      productId: '21',
      description: 'Blown in one breath.',
      external_url: '',
      image: ipfs('bafybeilamp21glasmann'),
      name: 'Glasmann lamp no. 21',
      component: 'CertificateOfOrigin',
      attributes: [
        ['IPFSCertification', ipfs('bafybeicert21glasmann')],
        ['AuthenticMessage', 'Signed on the base.'],
        ['UnitsProduced', 10],
        ['ProductType', 'Lamp']
      ]
    })
  },
  {
    id: 40,
    blockchainId: 3,
    maxItems: 2147483647,
    name: 'Open Orchard badge 🍏',
    publicProduct: true,
    componentName: 'DefaultProduct',
    timeCreated: '2025-10-10T10:10:10.101010Z',
    timeModified: '2026-11-01T01:02:03.040506Z',
    data: text({
      productId: '',
      description: 'For everyone who picked a tree clean. 🍏',
      external_url: 'https://open-orchard.example.com/badge?from=template&lang=en',
      image: ipfs('bafybeibadge40openorchard'),
      name: 'Open Orchard badge 🍏',
      component: 'DefaultProduct',
      attributes: []
    })
  },
  {
    id: 41,
    blockchainId: 3,
    maxItems: 365,
    name: 'Casa Brisa calendar',
    publicProduct: false,
    componentName: 'DefaultProduct',
    timeCreated: '2026-07-01T12:34:56.789012Z',
    timeModified: '2026-10-31T23:00:00.500000Z',
    data: ` ${text({
      productId: 0,
      description: '\nOne print a day.\n',
      external_url: 'https://casa-brisa.example.com/calendar',
      image: ipfs('bafybeicalendar41casabrisa'),
      name: 'Casa Brisa calendar',
      component: 'DefaultProduct',
      attributes: [
        ['Video', ''],
        ['Music', ''],
        ['FeaturesArray', ['365 prints', 'linen paper', '']],
        ['EmailOptional', false],
        ['ProductUrl', ''],
        ['ProductType', 'Print']
      ]
    })} \n`
  }
]
