"""Which linear XPath expressions does an XML document satisfy?"""
