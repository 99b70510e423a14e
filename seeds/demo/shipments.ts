import type { ProductTemplate } from '../../db/templates/table/columns.ts'
import { ipfs, text } from './document.ts'

/** Tracking records: only two traits. */
export const shipments: ProductTemplate[] = [
  {
    id: 7,
    blockchainId: 2,
    maxItems: 12000,
    name: 'Brisa Atlantica crate',
    publicProduct: false,
    componentName: 'TrackingRecord',
    timeCreated: '2025-11-03T06:12:40.004518Z',
    timeModified: '2026-02-17T21:40:05.730094Z',
    data: text({
      productId: 7001,
      description: 'Reusable crate for sea salt.\nReturn it to any harbour depot.',
      external_url: '',
      image: ipfs('bafybeicrate7brisaatlantica'),
      name: 'Brisa Atlantica crate',
      component: 'TrackingRecord',
      attributes: [
        ['ProductType', 'Crate'],
        ['UnitsProduced', 12000]
      ]
    })
  },
  {
    id: 31,
    blockchainId: 2,
    maxItems: 800,
    name: 'Fjellrein pallet',
    publicProduct: true,
    componentName: 'TrackingRecord',
    timeCreated: '2026-01-09T14:00:00.100001Z',
    timeModified: '2026-01-09T14:00:00.100002Z',
    data: text(
      {
        productId: '',
        description: 'Pallet label for dried reindeer moss.',
        external_url: 'https://fjellrein.example.com/pallets',
        image: ipfs('bafybeipallet31fjellrein'),
        name: 'Fjellrein pallet',
        component: 'TrackingRecord',
        attributes: [
          ['UnitsProduced', ''],
          ['ProductType', 'Pallet']
        ]
      },
      2
    )
  },
  {
    id: 32,
    blockchainId: 3,
    maxItems: 45,
    name: 'Kitenge & Kin bale',
    publicProduct: false,
    componentName: 'TrackingRecord',
    timeCreated: '2026-03-21T09:09:09.909090Z',
    timeModified: '2026-07-30T00:00:00.000001Z',
    data: `${text({
      productId: '0032',
      description: '',
      external_url: '',
      image: ipfs(),
      name: 'Kitenge & Kin bale',
      component: 'TrackingRecord',
      attributes: [
        ['ProductType', ''],
        ['UnitsProduced', '45']
      ]
    })}\n`
  }
]
