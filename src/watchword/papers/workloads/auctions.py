"""A DTD of an auction house, in the manner of the XMark benchmark: many names; only lists nest in themselves.

>>> AUCTIONS.root, len(AUCTIONS.names), AUCTIONS.children("listing")
('house', 60, ('item', 'seller', 'bid', 'price', 'period', 'remark'))
"""

from __future__ import annotations

from watchword.papers.workloads.dtd import read_dtd

AUCTIONS_TEXT = """
<!ENTITY % prose "#PCDATA | bold | keyword | stressed">
<!ENTITY % lots "lot+">
<!ELEMENT house (regions, groups, links, people, running, sold)>
<!ELEMENT regions (north, south, east, west)>
<!ELEMENT north (%lots;)> <!ELEMENT south (%lots;)> <!ELEMENT east (%lots;)> <!ELEMENT west (%lots;)>
<!ELEMENT lot (place, count, name, payment, text, shipping, ingroup+, letters)>
<!ELEMENT place (#PCDATA)> <!ELEMENT count (#PCDATA)> <!ELEMENT name (#PCDATA)>
<!ELEMENT payment (#PCDATA)> <!ELEMENT shipping (#PCDATA)>
<!ELEMENT ingroup EMPTY>
<!ELEMENT letters (letter*)>
<!ELEMENT letter (from, to, date, prose)>
<!ELEMENT from (#PCDATA)> <!ELEMENT to (#PCDATA)> <!ELEMENT date (#PCDATA)>
<!ELEMENT text (prose | points)>
<!ELEMENT prose (%prose;)*>
<!ELEMENT bold (%prose;)*> <!ELEMENT keyword (%prose;)*> <!ELEMENT stressed (%prose;)*>
<!ELEMENT points (point+)>
<!ELEMENT point (prose | points)*>
<!ELEMENT groups (group+)>
<!ELEMENT group (name, text)>
<!ELEMENT links (link*)>
<!ELEMENT link EMPTY>
<!ELEMENT people (person+)>
<!ELEMENT person (name, mail, phone?, address?, page?, card?, profile?, watched?)>
<!ELEMENT mail (#PCDATA)> <!ELEMENT phone (#PCDATA)> <!ELEMENT page (#PCDATA)> <!ELEMENT card (#PCDATA)>
<!ELEMENT address (street, city, country, region?, code)>
<!ELEMENT street (#PCDATA)> <!ELEMENT city (#PCDATA)> <!ELEMENT country (#PCDATA)>
<!ELEMENT region (#PCDATA)> <!ELEMENT code (#PCDATA)>
<!ELEMENT profile (interest*, education?, gender?, business, age?)>
<!ELEMENT interest EMPTY>
<!ELEMENT education (#PCDATA)> <!ELEMENT gender (#PCDATA)> <!ELEMENT business (#PCDATA)> <!ELEMENT age (#PCDATA)>
<!ELEMENT watched (watch*)>
<!ELEMENT watch EMPTY>
<!ELEMENT running (listing+)>
<!ELEMENT sold (listing+)>
<!ELEMENT listing (item, seller, bid*, price, period?, remark)>
<!ELEMENT item EMPTY> <!ELEMENT seller EMPTY>
<!ELEMENT bid (date, increase)>
<!ELEMENT increase (#PCDATA)> <!ELEMENT price (#PCDATA)>
<!ELEMENT period (from, to)>
<!ELEMENT remark (text, happiness?)>
<!ELEMENT happiness (#PCDATA)>
"""
AUCTIONS = read_dtd(AUCTIONS_TEXT)
"""Lots, people and listings of an auction house."""
